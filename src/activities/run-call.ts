/** Runs one admitted call. Which way depends on its class alone. */
import type { RunCallInput, RunCallOutput } from '../shared/activity-io';
import { callError, type CallError } from '../shared/errors';
import { digestFault, effectiveInput } from './call-input';
import type { Dependencies } from './dependencies';
import { refusal } from './refusal';
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
