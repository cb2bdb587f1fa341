/** Runs one admitted call. Which way depends on its class alone. */
import type { RunCallInput, RunCallOutput } from '../shared/activity-io';
import { callError, type CallError } from '../shared/errors';
import type { JsonObject } from '../shared/json';
import type { Tool } from '../tools/define';
import { digestFault, effectiveInput } from './call-input';
import type { Dependencies } from './dependencies';
import { failure, keep, metadataOf } from './run-once';
import { runFenced } from './run-fenced';
import { runRetried } from './run-retried';

export async function runCall(deps: Dependencies, input: RunCallInput): Promise<RunCallOutput> {
  const { turn, call } = input;
  const tool = deps.registry.agent(turn.agent)?.tools.get(call.tool)?.tool;
  if (!tool || tool.version !== call.version || tool.class !== call.class)
    return refusal(deps, input, UNKNOWN(call), tool ?? null);
  const effective = await effectiveInput(deps.store, call);
  const fault = digestFault(turn, call, effective);
  if (fault !== null)
    return refusal(
      deps,
      input,
      callError('PERMISSION_DENIED', 'digest_mismatch', `Call ${call.id} was not run: ${fault}.`),
      tool,
    );
  return tool.class === 'destructive' ? runFenced(deps, input, tool, effective) : runRetried(deps, input, tool, effective);
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

/** The call was not run at all; for a destructive one, nothing happened. */
export async function refusal(
  deps: Dependencies,
  { turn, call }: RunCallInput,
  error: CallError,
  tool: Tool | null,
  input: JsonObject = {},
): Promise<RunCallOutput> {
  const described = (tool ?? { name: call.tool, version: call.version, class: call.class }) as Tool;
  const kept = await keep(deps, turn, call, described, input, failure(error, metadataOf(described, turn, Date.now())));
  return {
    ...kept,
    state: 'failed',
    effect: call.class === 'destructive' ? 'not_applied' : null,
    error,
    attempts: 0,
    took_ms: 0,
    head: null,
  };
}
