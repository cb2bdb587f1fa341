/**
 * Finds the tool and the input that a call's digest names, or refuses the call: checks the turn's start, resets and digests of older
 * builds; for calls that are not destructive, also the rules and what may hold the call.
 */
import { approvalsOf, type RunCallInput, type RunCallOutput } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import type { Tool } from '../../tools/define/tool';
import { namedCall } from '../call/call-input';
import { callContext, type CallContext } from '../call/call-context';
import type { Dependencies } from '../ports';
import { admittedTool } from '../step/mcp-tools';
import { refusal } from '../call/run-once';
import { afterReset } from './after-reset';
import { otherStart } from './start';
import { holdAnswerOutput, checkBeforeEffect, heldOutput } from './checks-before-effect';
import { recheckPermission } from './recheck-approvals';

export type CheckedCall = { ok: true; run: CallContext } | { ok: false; output: RunCallOutput };

/** The tool and the input that the digest names, or the refusal. */
export async function resolveCall(deps: Dependencies, request: RunCallInput): Promise<CheckedCall> {
  const { turn, call } = request;
  const refuse = async (error: CallError, tool?: Tool): Promise<CheckedCall> => ({
    ok: false,
    output: await refusal(callContext(deps, request, tool), error),
  });
  const lookup = await namedCall(deps.store, turn, call);
  if (!lookup.ok)
    return refuse(callError('PERMISSION_DENIED', 'digest_mismatch', `Call ${call.id} was not run: ${lookup.fault}.`));
  const { agent, input, ...admitted } = lookup.call;
  const tool = await admittedTool(deps, { ...turn, agent }, admitted, request.head);
  if (!tool || tool.class !== admitted.class) return refuse(UNKNOWN(call), tool);
  const fault = (await turnStartFault(deps, request)) ?? olderDigestFault(deps, request);
  return fault === null ? { ok: true, run: callContext(deps, request, tool, input) } : refuse(fault, tool);
}

/** Checks the start of the turn for calls that people decide or may decide, and for all calls whose digest names no agent. */
async function turnStartFault({ store }: Dependencies, request: RunCallInput): Promise<CallError | null> {
  const { turn, call } = request;
  const asks = call.class === 'destructive' || call.class === 'agent' || approvalsOf(request).length > 0;
  return asks || turn.store_id === undefined ? otherStart(store, request) : null;
}

/** Decisions of another run send the call back to a person. Null: there are none. */
export async function heldByReset(run: CallContext): Promise<RunCallOutput | null> {
  const reset = await afterReset(run);
  return reset && heldOutput([reset]);
}

/** For calls that are not destructive: the current rules, then the reasons that hold a call. Null: it may run. */
export async function checkRulesAndHolds(run: CallContext): Promise<RunCallOutput | null> {
  const answer = await recheckPermission(run);
  if (answer) return holdAnswerOutput(run, answer);
  return checkBeforeEffect(run);
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

// Calls of turns that began with digests of version 1, which name neither agent nor store. They run until a date; the missing
// facts come from the start of the turn (start.ts), not from the arguments of the activity.

/** How long such turns continue after a version with the new digests first opened the store. */
export const OLD_DIGESTS_MS = 30 * 24 * 3_600_000;

/** Null: the digest is of version 2, or version 1 is still accepted for this call. */
export function olderDigestFault(
  { oldDigestsUntil }: Pick<Dependencies, 'oldDigestsUntil'>,
  request: Pick<RunCallInput, 'turn' | 'call'>,
): CallError | null {
  const { turn, call } = request;
  if (turn.store_id !== undefined) return null;
  if (call.class !== 'destructive' || Date.now() < oldDigestsUntil) return null;
  const until = new Date(oldDigestsUntil).toISOString();
  const message = `${call.tool} was not run: an older holdfast began this turn, and its call digests name neither agent nor store. Destructive calls of such turns were accepted until ${until} (HOLDFAST_OLD_DIGESTS_UNTIL).`;
  return callError('PERMISSION_DENIED', 'digest_retired', message, { hint: 'Ask for it in a new turn.' });
}
