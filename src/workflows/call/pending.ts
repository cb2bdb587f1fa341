/**
 * A call that ends later (`ctx.later`): it waits without a running activity, across runs, until somebody completes it, its tool's `poll`
 * knows how it ended, or its time is over.
 */
import { CancellationScope, patched } from '@temporalio/workflow';
import type { AdmittedCall, CompletionCause, LaterCompletion, RunCallOutput } from '../../shared/io/activities';
import { completeCall } from '../activities';
import { condition } from '../sandbox/condition';
import { now } from '../sandbox/time';
import { showState } from '../turn/publish-turn-state';
import { keepProgress, type Progress } from '../turn/state';
import { moveCall } from './call-log';
import type { Admission, Dispatch } from './dispatch-types';

const LONGEST_PAUSE_MS = 3_600_000;
const ENDED_OTHERWISE = 'the call has ended otherwise meanwhile';
/** About the most polls of one call: each of them is written into history. */
const POLLS = 100;

/** The output of a call that has ended. */
export type EndedOutput = RunCallOutput & { state: Exclude<RunCallOutput['state'], 'pending'> };

/**
 * Resolves when a pending call has ended; null: somebody interrupted the turn, and the call has no effect to wait for.
 * @param later how it ends; absent: as an earlier run has noted
 */
export async function endLater(
  context: Dispatch,
  call: AdmittedCall,
  { args, approvals }: Admission & { ok: true },
  later?: LaterCompletion,
): Promise<EndedOutput | null> {
  const { data, turn, questions, completions } = context;
  const noted = data.open?.progress[call.id];
  const pending: Pending = noted?.at === 'pending' ? noted : { at: 'pending', args, approvals, ...firstPoll(later!) };
  moveCall(data, call.id, 'pending', { pending_until: pending.later.expires_at });
  keepProgress(data, call.id, pending);
  showState(data, questions);
  const stop = cancellationOf(CancellationScope.current());
  const end = async () => {
    for (;;) {
      const cause = await nextCause(context, call, pending, stop);
      if (cause === null) return null;
      const request = { turn, call: args, at: now(), head: data.head!, later: pending.later, cause };
      const answer = await completeCall(request);
      if (cause.by === 'completion') completions.answer(call.id, answer.reason);
      if (answer.settled !== null) return answer.settled;
    }
  };
  const settled = await (call.class === 'destructive' ? CancellationScope.nonCancellable(end) : end());
  // One that came while the call ended otherwise: its sender must not wait until a person has settled the call.
  if (completions.offered(call.id) !== null && patched('offers-of-ended-calls')) completions.answer(call.id, ENDED_OTHERWISE);
  if (settled === null) return null;
  data.head = settled.head ?? data.head;
  keepProgress(data, call.id, { ...pending, over: true });
  showState(data, questions);
  return settled as EndedOutput;
}

type Pending = Progress & { at: 'pending' };

function firstPoll(later: LaterCompletion): Pick<Pending, 'later' | 'poll'> {
  const { poll_ms } = later;
  return { later, poll: poll_ms === undefined ? null : { at: Date.now() + poll_ms, pause: poll_ms } };
}

/** Waits for something to do about a pending call; null: the turn was interrupted, and nothing has to become known. */
async function nextCause(
  { data, inFlight, completions }: Dispatch,
  call: AdmittedCall,
  { later, poll }: Pending,
  stop: { requested: boolean },
): Promise<CompletionCause | null> {
  const isEffect = call.class === 'destructive';
  const expires = Date.parse(later.expires_at);
  const isStopped = () => (isEffect ? stop.requested : data.interrupted !== undefined);
  const isDue = () => isStopped() || completions.offered(call.id) !== null;
  const wait = Math.min(expires, poll?.at ?? expires) - Date.now();
  if (wait > 0) await inFlight.apart(() => condition(isDue, wait));
  if (isStopped()) return isEffect ? { by: 'cancellation' } : null;
  const completion_ref = completions.offered(call.id);
  if (completion_ref !== null) return { by: 'completion', completion_ref };
  if (Date.now() >= expires) return { by: 'expiry' };
  if (poll !== null) {
    const span = expires - Date.now();
    poll.pause = Math.min(poll.pause * 2, Math.max(LONGEST_PAUSE_MS, span / POLLS));
    poll.at = Date.now() + Math.round(poll.pause);
  }
  return { by: 'poll' };
}

/** Whether a scope is cancelled, or will have been. */
function cancellationOf(scope: CancellationScope): { requested: boolean } {
  const stop = { requested: scope.consideredCancelled };
  scope.cancelRequested.catch(() => (stop.requested = true));
  return stop;
}
