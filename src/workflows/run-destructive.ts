/**
 * One destructive call, dispatched at most once for each proof that nothing has happened. An attempt
 * that was lost is not repeated on a guess: the effect record says whether it ever began.
 */
import { ActivityFailure, CancellationScope, sleep } from '@temporalio/workflow';
import type { AdmittedCall, CallArguments, RunCallOutput } from '../shared/activity-io';
import { inDoubtCard } from '../shared/card';
import { callError } from '../shared/errors';
import { CLASS_RULES } from '../shared/tool-class';
import { executeCall, inspectEffect, settleEffect } from './activities';
import { endCall, moveCall, viewOf } from './call-log';
import type { Admission, Dispatch, Ran } from './dispatch-types';
import { now } from './now';

/** Dispatches after proven nothing, all causes together. */
const MAX_DISPATCHES = 10;
/** Of an idempotent call that failed without saying how, a killed worker included. */
const RETRIES_IN_DOUBT = 3;

export async function runDestructive(context: Dispatch, call: AdmittedCall, admission: Admission & { ok: true }): Promise<Ran> {
  const { data } = context;
  moveCall(data, call.id, 'running');
  let took = 0;
  let result: RunCallOutput | null = null;
  for (let dispatch = 1; dispatch <= MAX_DISPATCHES; dispatch++) {
    const args = { ...admission.args, dispatch };
    result = await dispatchOnce(context, call, args, admission);
    if (result === null) {
      await sleep(backoff(dispatch)); // proven: it never began
      continue;
    }
    took += result.took_ms;
    data.head = result.head ?? data.head;
    const wait = waitBeforeNext(call, result, dispatch);
    if (wait === null) break;
    await sleep(wait);
  }
  if (result === null) {
    const error = callError(
      'EXECUTION_ERROR',
      'attempts_exhausted',
      `${call.tool} was lost ${MAX_DISPATCHES} times before it began.`,
    );
    return { outcome: endCall(data, call, 'failed', { error, effect: 'not_applied' }), took_ms: took };
  }
  if (result.state === 'in_doubt') result = await settled(context, call, { ...admission.args }, result);
  return { outcome: endCall(data, call, result.state, result), took_ms: took };
}

/** One dispatch. Null: the attempt was lost, and the record proves that it never began. */
async function dispatchOnce(
  context: Dispatch,
  call: AdmittedCall,
  args: CallArguments,
  admission: Admission & { ok: true },
): Promise<RunCallOutput | null> {
  const common = { turn: context.turn, call: args, at: now(), head: context.data.head! };
  try {
    return await executeCall(call, { ...common, approval: admission.decision });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const cause = error.cause?.message ?? error.message;
    // Also when the turn is being cancelled: what became of the effect has to be known first.
    const found = await CancellationScope.nonCancellable(() => inspectEffect({ ...common, at: now(), cause }));
    if (found.found === 'outcome') return found.outcome;
    context.data.head = found.head;
    if (CancellationScope.current().consideredCancelled) throw error;
    return null;
  }
}

/** How long to wait before dispatching again, ms; null when the result stands. */
function waitBeforeNext(call: AdmittedCall, result: RunCallOutput, dispatch: number): number | null {
  const { error } = result;
  const provenNothing = result.state === 'failed' && result.effect === 'not_applied';
  const harmless = result.state === 'in_doubt' && call.idempotent; // the upstream honours the key
  if (!error || !(provenNothing || harmless)) return null;
  const allowed = CLASS_RULES.read.retries[error.code] ?? (harmless ? RETRIES_IN_DOUBT : 0);
  if (dispatch > allowed) return null;
  return error.retry_after_ms ?? backoff(dispatch);
}

function backoff(dispatch: number): number {
  return Math.min(30_000, 500 * 2 ** (dispatch - 1));
}

/** Holds until a person has said what became of the call; a cancelled turn waits for that too. */
async function settled(context: Dispatch, call: AdmittedCall, args: CallArguments, doubt: RunCallOutput): Promise<RunCallOutput> {
  const { data, desk } = context;
  const view = moveCall(data, call.id, 'in_doubt', {
    effect: 'in_doubt',
    error: doubt.error,
    attempts: viewOf(data, call.id).attempts + doubt.attempts,
  });
  const answer = await CancellationScope.nonCancellable(() =>
    desk.askSettlement({
      digest: args.digest,
      tool: call.tool,
      card: inDoubtCard({
        tool: call.tool,
        callId: call.id,
        digest: args.digest,
        error: doubt.error?.message ?? 'unknown',
        idempotencyKey: view.idempotency_key ?? '',
      }),
    }),
  );
  const result = await CancellationScope.nonCancellable(() =>
    settleEffect({ turn: context.turn, call: args, at: now(), head: data.head!, ...answer }),
  );
  data.head = result.head ?? data.head;
  return result;
}
