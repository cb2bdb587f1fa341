/**
 * Runs one admitted call, by its class. Of calls that may be repeated, Temporal retries them by error code; reads come from the cache,
 * and identical ones run once.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { RunCallInput, RunCallOutput } from '../../shared/io/activities';
import { callError, type Envelope, type CallError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import { CLASS_RULES } from '../../shared/turn/tool-class';
import { hasPresigned } from '../../tools/results/result-files';
import { targetOf } from '../../tools/admit/policy';
import { cacheKey } from '../../tools/run/cache';
import { nextRetry, type RetryCounts } from '../../tools/define/errors';
import { withAfterHooks, failure, keep, metadataOf, refusal, runOnce, success } from './run-once';
import { withDebugInfo } from './direct-envelope';
import { resolveCall, heldByReset, checkRulesAndHolds } from '../checks/resolve-call';
import { runDestructive } from '../effects/run-destructive';
import { answeredCall } from '../people/check-decisions';
import type { Dependencies, RunOutcome } from '../ports';
import { pendingOutput, type CallContext } from './call-context';
import { waitForToolLimits, shareRateLimit } from './run-in-thread';
import { detailsBefore, showing, type HeartbeatDetails, type Show } from './heartbeat';

export async function runCall(deps: Dependencies, input: RunCallInput): Promise<RunCallOutput> {
  const began = performance.now();
  const resolution = await resolveCall(deps, input);
  if (!resolution.ok) return resolution.output;
  const request = { ...input, validation_ms: (input.validation_ms ?? 0) + Math.round(performance.now() - began) };
  const run = { ...resolution.run, request };
  const output = await runAdmittedCall(run);
  count(run, output);
  return output;
}

async function runAdmittedCall(run: CallContext): Promise<RunCallOutput> {
  if (run.tool.question) return answeredCall(run);
  if (run.tool.wait) return endedWait(run);
  const reset = await heldByReset(run);
  if (reset) return reset;
  if (run.tool.class === 'destructive') return runDestructive(run);
  return (await checkRulesAndHolds(run)) ?? runWithRetries(run);
}

/** Counts the call in the metrics. Only registered tools reach this: their names become labels. */
function count({ deps: { metrics }, tool: { name }, call }: CallContext, output: RunCallOutput): void {
  if (output.busy_ms !== undefined) return metrics.waited(name);
  if (call.dispatch > 1) metrics.retried(name);
  // The time of the whole call, with all attempts and pauses. The two clocks may differ a little.
  const ms = Math.max(output.took_ms, Date.now() - Context.current().info.scheduledTimestampMs);
  metrics.ended(name, output.error?.code ?? null, ms);
}

async function runWithRetries(run: CallContext): Promise<RunCallOutput> {
  const began = Date.now();
  const { deps, request, turn, tool, input } = run;
  const { options } = request;
  const { attempt } = Context.current().info;
  const common = { effect: null, attempts: attempt, head: null };
  const key = options?.enable_cache === false ? null : cacheKey(tool, input, turn, targetOf(tool, input));

  const finish = (envelope: Envelope, notes: JsonObject[] = []) => {
    const debugging = { options, allowed: deps.debugInfo, attempts: attempt, notes };
    return withAfterHooks(run, withDebugInfo(envelope, debugging));
  };

  const entry = key === null ? undefined : deps.cache.get(tool, key);
  if (entry) {
    deps.metrics.cacheHit(tool.name);
    const metadata = metadataOf(tool, turn, began, { cache: entry.cache, validationMs: request.validation_ms ?? 0 });
    const resultPart = await keep(run, await finish(success(entry.data, metadata)));
    return { ...common, ...resultPart, state: 'succeeded', error: null, took_ms: Date.now() - began };
  }

  const show = showing();
  const { result, metadata, notes, tried, later } = await oneOfMany({ run, key, began, show });
  if (result.ok && result.pending) return pendingOutput(later!, Date.now() - began);
  if (!result.ok && tried && options?.enable_retry !== false) retryIfItHelps(run, result.error, show);
  const envelope = result.ok ? success(result.data, metadata) : failure(result.error, metadata);
  const resultPart = await keep(run, await finish(envelope, notes));
  return {
    ...common,
    ...resultPart,
    state: result.ok ? 'succeeded' : 'failed',
    error: result.ok ? null : result.error,
    took_ms: Date.now() - began,
  };
}

interface Work {
  run: CallContext;
  /** The same for identical calls; null: this call is not shared. */
  key: string | null;
  began: number;
  show: Show;
}

/** Runs the call, or waits for an identical one that runs in this worker, and copies its outcome under this call's ids. */
async function oneOfMany(work: Work): Promise<RunOutcome> {
  const { key, began } = work;
  const { deps, request, tool } = work.run;
  const { cancellationSignal } = Context.current();
  if (key === null) return runWithinLimits(work);
  const run = async () => {
    const outcome = await runWithinLimits(work);
    const { result } = outcome;
    if (result.ok && !result.pending && !hasPresigned(result.data)) deps.cache.set(tool, key, result.data);
    return outcome;
  };
  const { value, isShared } = await deps.flights.run(key, run, cancellationSignal);
  // A pending call has an address of its own.
  if (!isShared || (value.result.ok && value.result.pending)) return isShared ? runWithinLimits(work) : value;
  deps.metrics.cacheHit(tool.name);
  const times = { cache: { hit: false, shared: true }, validationMs: request.validation_ms ?? 0 };
  return { ...structuredClone(value), metadata: metadataOf(tool, request.turn, began, times) };
}

async function runWithinLimits({ run, began, show }: Work): Promise<RunOutcome> {
  const { deps, request, tool } = run;
  const signal = Context.current().cancellationSignal;
  const pass = await waitForToolLimits(deps, tool, { show, cancelled: signal, waits: Number(detailsBefore().waits ?? 0) });
  if (!pass.ok) {
    const metadata = metadataOf(tool, request.turn, began, { validationMs: request.validation_ms ?? 0 });
    return { result: { ok: false, error: pass.error, nothingHappened: true }, metadata, notes: [], tried: false, later: null };
  }
  try {
    const outcome = await runOnce(run, { show, cancelled: signal });
    await shareRateLimit(deps, tool, outcome.result);
    return outcome;
  } finally {
    await pass.leave();
  }
}

/** Throws, so that Temporal retries, if the class allows it. The heartbeat carries the counts. */
function retryIfItHelps({ deps, turn, call, tool }: CallContext, error: CallError, show: Show): void {
  const counts = (detailsBefore().retries ?? {}) as RetryCounts;
  const next = nextRetry(tool.class, counts, error);
  if (next === null) return;
  show({ retries: next.counts as HeartbeatDetails, progress: null });
  deps.metrics.retried(tool.name);
  const now = Date.now();
  deps.live.publish(turn.turn_id, {
    at: new Date(now).toISOString(),
    type: 'tool_retrying',
    call: call.id,
    attempt: Context.current().info.attempt + 1,
    max_retries: CLASS_RULES[tool.class].retries[error.code] ?? null,
    code: error.code,
    error: error.message.slice(0, 500).toWellFormed(),
    next_attempt_at: new Date(now + next.delayMs).toISOString(),
  });
  throw ApplicationFailure.create({
    message: error.message,
    type: `holdfast.tool.${error.code}`,
    nonRetryable: false,
    nextRetryDelay: next.delayMs,
  });
}

// The result of a call of `wait_until`: how the wait ended, as the workflow says it.

async function endedWait(run: CallContext): Promise<RunCallOutput> {
  const began = Date.now();
  const { request, turn, tool } = run;
  const { waited, at, validation_ms = 0 } = request;
  if (waited === undefined)
    return refusal(run, callError('EXECUTION_ERROR', 'not_waited', 'The workflow of this turn is of a build that cannot wait.'));
  const { woke_by, until } = waited;
  const data = { woke_by, at, until };
  const metadata = metadataOf(tool, turn, began, { validationMs: validation_ms });
  const part = await keep(run, await withAfterHooks(run, success(data, metadata)));
  const { attempt } = Context.current().info;
  return { ...part, state: 'succeeded', effect: null, error: null, attempts: attempt, took_ms: Date.now() - began, head: null };
}
