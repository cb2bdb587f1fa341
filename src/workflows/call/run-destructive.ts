/**
 * One destructive call, dispatched at most once for each proof that nothing has happened. An attempt
 * that was lost is not repeated on a guess: the effect record says whether it ever began.
 */
import { ActivityFailure, CancellationScope, sleep } from '@temporalio/workflow';
import type { AdmittedCall, CallArguments, RunCallOutput } from '../../shared/activity-io';
import { callError } from '../../shared/wire/errors';
import { executeCall, inspectEffect } from '../activities';
import { admittedAs, endCall, moveCall } from './call-log';
import type { Admission, Dispatch, HeldBack, Ran } from './dispatch-types';
import { settled, settledLater } from './in-doubt';
import { backoff, waitBeforeNext } from './next-dispatch';
import { now } from '../sandbox/time';

/** Dispatches after proven nothing, all causes together. */
const MAX_DISPATCHES = 10;
/** Times that its tool's limits put a call off before it counts as dispatched. */
const MAX_WAITS = 10;

export async function runDestructive(
  context: Dispatch,
  call: AdmittedCall,
  admission: Admission & { ok: true },
): Promise<Ran | HeldBack> {
  const { data } = context;
  const kept = data.open?.progress[call.id];
  if (kept?.at === 'probing' || kept?.at === 'doubt') {
    const later = await settledLater(context, call, kept);
    return { outcome: endCall(data, call, later.state, later), took_ms: 0 };
  }
  moveCall(data, call.id, 'running');
  let took = 0;
  let result: RunCallOutput | null = null;
  let waits = 0;
  let written = false;
  const most = context.options?.enable_retry === false ? 1 : MAX_DISPATCHES;
  for (let dispatch = 1; dispatch <= most; dispatch++) {
    const args = { ...admission.args, dispatch };
    const answer = await dispatchOnce(context, call, args, admission);
    if (answer === null) {
      await sleep(backoff(dispatch)); // proven: it never began
      continue;
    }
    took += answer.took_ms;
    data.head = answer.head ?? data.head;
    written ||= answer.head !== null;
    if (answer.held) return { held: answer.held, took_ms: took };
    if (answer.busy_ms !== undefined) {
      if (++waits > MAX_WAITS) {
        result ??= answer; // an earlier dispatch that is in doubt stays so
        break;
      }
      await sleep(Math.max(answer.busy_ms, backoff(waits)));
      dispatch -= 1; // this one never came to be
      continue;
    }
    result = answer;
    const wait = waitBeforeNext(call, result, dispatch);
    if (wait === null || most === 1) break;
    await sleep(wait);
  }
  // A dispatch writes down what was said; where there was none, the next step does.
  const said = written ? {} : { approvals: admission.approvals, earlier: admission.args.earlier ?? [] };
  if (result === null) {
    const error = callError(
      'EXECUTION_ERROR',
      'attempts_exhausted',
      `${call.tool} was lost ${most === 1 ? 'once' : `${most} times`} before it began.`,
    );
    return { outcome: endCall(data, call, 'failed', { error, effect: 'not_applied', ...said }), took_ms: took };
  }
  if (result.state === 'in_doubt') result = await settled(context, call, admission, result);
  return { outcome: endCall(data, call, result.state, { ...result, ...said }), took_ms: took };
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
    const options = context.options ? { options: context.options } : {};
    return await executeCall(call, { ...common, approvals: admission.approvals, ...admittedAs(call), ...options });
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
