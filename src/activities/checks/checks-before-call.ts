/** What is looked at before anything runs a call: the tool, the digest, the rules, and what holds it back. */
import { approvalsOf, type RunCallInput, type RunCallOutput } from '../../shared/activity-io';
import { callError, type CallError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import { afterReset } from './after-reset';
import { namedCall } from '../call/call-input';
import type { Dependencies } from '../ports';
import { olderDigestFault } from './digest-version';
import { otherStart } from './own-start';
import { answered, holdBeforeEffect, heldOutput } from './checks-before-effect';
import { admittedTool } from '../step/mcp-tools';
import { permissionFault } from './permission-fault';
import { refusal } from '../call/run-once';
import type { Tool } from '../../tools/define/tool';

export type CheckedCall = { ok: true; tool: Tool; input: JsonObject } | { ok: false; refused: RunCallOutput };

/** The very tool and the very input that the digest names, or the refusal. */
export async function checkedCall(deps: Dependencies, request: RunCallInput): Promise<CheckedCall> {
  const { turn, call } = request;
  const refused = async (error: CallError, tool: Tool | null): Promise<CheckedCall> => ({
    ok: false,
    refused: await refusal(deps, request, error, tool),
  });
  const named = await namedCall(deps.store, turn, call);
  if (!named.ok)
    return refused(callError('PERMISSION_DENIED', 'digest_mismatch', `Call ${call.id} was not run: ${named.fault}.`), null);
  const { agent, input, ...admitted } = named.call;
  const tool = await admittedTool(deps, { ...turn, agent }, admitted, request.head);
  if (!tool || tool.class !== admitted.class) return refused(UNKNOWN(call), tool ?? null);
  const fault = (await startFault(deps, request)) ?? olderDigestFault(deps, request);
  return fault === null ? { ok: true, tool, input } : refused(fault, tool);
}

/** Of what people have to decide on, or may have to, and of all calls whose digest names no agent. */
async function startFault({ store }: Dependencies, request: RunCallInput): Promise<CallError | null> {
  const { turn, call } = request;
  const asks = call.class === 'destructive' || call.class === 'agent' || approvalsOf(request).length > 0;
  return asks || turn.store_id === undefined ? otherStart(store, request) : null;
}

/** Decisions of another run send it back to a person. Null: there are none. */
export async function heldByReset(deps: Dependencies, request: RunCallInput): Promise<RunCallOutput | null> {
  const reset = await afterReset(deps, request);
  return reset && heldOutput([reset]);
}

/** Of a call without effects of its own: the present rules, and what holds it back. Null: it may run. */
export async function heldOrRefused(
  deps: Dependencies,
  request: RunCallInput,
  tool: Tool,
  input: JsonObject,
): Promise<RunCallOutput | null> {
  const refused = await permissionFault(deps, request, tool, input);
  if (refused) return answered(deps, request, tool, input, refused);
  return holdBeforeEffect(deps, request, tool, input);
}

function UNKNOWN(call: RunCallInput['call']): CallError {
  return callError(
    'TOOL_NOT_FOUND',
    'tool_changed',
    `This worker no longer has ${call.tool}@${call.version} of class ${call.class}, with which the call was admitted.`,
    {
      hint: 'Ask for the call again: it will be admitted under the present version.',
    },
  );
}
