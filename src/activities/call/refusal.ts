import type { RunCallInput, RunCallOutput } from '../../shared/activity-io';
import type { CallError } from '../../shared/errors';
import type { JsonObject } from '../../shared/json';
import type { Dependencies } from '../ports';
import { failure, keep, metadataOf, recordedTool } from './run-once';
import type { Tool } from '../../tools/tool';

/** The call was not run at all; for a destructive one, nothing happened. */
export async function refusal(
  deps: Dependencies,
  { turn, call }: RunCallInput,
  error: CallError,
  tool: Tool | null,
  input: JsonObject = {},
): Promise<RunCallOutput> {
  const described = tool ?? recordedTool(call);
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
