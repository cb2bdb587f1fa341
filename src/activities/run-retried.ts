/** Calls that may be repeated: retried per error code by Temporal, reads served from the cache. */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { RunCallInput, RunCallOutput } from '../shared/activity-io';
import type { CallError } from '../shared/errors';
import type { JsonObject } from '../shared/json';
import type { Tool } from '../tools/define';
import { nextRetry, type RetryCounts } from '../tools/retry';
import type { Dependencies } from './dependencies';
import { detailsBefore, withPulse, type PulseDetails } from './pulse';
import { failure, keep, metadataOf, runOnce, success } from './run-once';

export async function runRetried(
  deps: Dependencies,
  request: RunCallInput,
  tool: Tool,
  input: JsonObject,
): Promise<RunCallOutput> {
  const began = Date.now();
  const { turn, call } = request;
  const { info, cancellationSignal } = Context.current();
  const common = { effect: null, attempts: info.attempt, head: null };

  const cached = deps.cache.get(tool, input, turn.requester);
  if (cached) {
    const kept = await keep(deps, turn, call, tool, input, success(cached.data, metadataOf(tool, turn, began, cached.cache)));
    return { ...common, ...kept, state: 'succeeded', error: null, took_ms: Date.now() - began };
  }

  const { result, metadata } = await withPulse(async (show) => {
    const ran = await runOnce(deps, request, tool, input, { show, cancelled: cancellationSignal });
    if (!ran.result.ok) retryIfItHelps(tool, ran.result.error, show);
    return ran;
  });
  if (result.ok) deps.cache.set(tool, input, turn.requester, result.data);
  const envelope = result.ok ? success(result.data, metadata) : failure(result.error, metadata);
  const kept = await keep(deps, turn, call, tool, input, envelope);
  return {
    ...common,
    ...kept,
    state: result.ok ? 'succeeded' : 'failed',
    error: result.ok ? null : result.error,
    took_ms: Date.now() - began,
  };
}

/** Throws for Temporal to try again, when the class's table allows it; the counts travel in the heartbeat. */
function retryIfItHelps(tool: Tool, error: CallError, show: (details: PulseDetails) => void): void {
  const counts = (detailsBefore().retries ?? {}) as RetryCounts;
  const next = nextRetry(tool.class, counts, error);
  if (next === null) return;
  show({ retries: next.counts as PulseDetails, progress: null });
  throw ApplicationFailure.create({
    message: error.message,
    type: `holdfast.tool.${error.code}`,
    nonRetryable: false,
    nextRetryDelay: next.delayMs,
  });
}
