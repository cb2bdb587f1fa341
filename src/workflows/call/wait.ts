/**
 * Waits that the model asks for (the tool `wait_until`): a timer of the workflow, without a running activity, which goes on in the next
 * run. What ends a wait early is state of the turn, so that nothing is lost that comes while a run continues in another.
 */
import { condition } from '@temporalio/workflow';
import type { AdmittedCall, CallArguments } from '../../shared/io/activities';
import { timeFault, type Waker, wakeTime } from '../../shared/turn/wait';
import { callError, type CallError } from '../../shared/wire/errors';
import { showState } from '../turn/publish-turn-state';
import { keepProgress, type TurnData } from '../turn/state';
import { moveCall, stoppedOutcome } from './call-log';
import type { Admission, CallRun, Dispatch, NeedsDecision } from './dispatch-types';
import { runRepeatable } from './run-call';

/** Why a wait cannot begin, by the workflow's clock; null: it can, or the call is none. */
export function refuseWait({ longest_wait_ms, input }: AdmittedCall): CallError | null {
  if (longest_wait_ms === undefined || typeof input?.at !== 'string') return null;
  const fault = timeFault({ at: input.at }, longest_wait_ms, Date.now());
  return fault === undefined ? null : callError('INVALID_PARAMS', fault.reason, fault.message, { hint: fault.hint! });
}

export async function runWait(
  context: Dispatch,
  call: AdmittedCall,
  admission: Admission & { ok: true },
): Promise<CallRun | NeedsDecision> {
  const { data, inFlight, questions } = context;
  const { args, approvals } = admission;
  moveCall(data, call.id, 'running');
  const carried = data.open?.progress[call.id];
  const sleep = carried?.at === 'sleep' ? carried : newSleep(data, call, args);
  const show = (woke_by: Waker | null) => {
    keepProgress(data, call.id, { ...sleep, at: 'sleep', args, approvals, woke_by });
    showState(data, questions);
  };
  show(sleep.woke_by);
  if (sleep.woke_by === null) {
    const isOver = () => data.interrupted !== undefined || wakerOf(data) !== null;
    await inFlight.apart(() => condition(isOver, Math.max(1, sleep.until - Date.now())));
  }
  const woke_by = sleep.woke_by ?? wakerOf(data) ?? 'time';
  show(woke_by);
  if (data.interrupted) return { outcome: stoppedOutcome(data, call, null), took_ms: 0 };
  const waited = { woke_by, since: iso(sleep.since), until: iso(sleep.until) };
  return runRepeatable(context, call, admission, { waited });
}

function newSleep(data: TurnData, { longest_wait_ms }: AdmittedCall, { input }: CallArguments) {
  const since = Date.now();
  return { since, until: wakeTime(input, longest_wait_ms!, since), woke_by: wakerOf(data) };
}

/** What ends every wait of the turn before its time; null: nothing. */
function wakerOf({ steered, next_message, open }: TurnData): Waker | null {
  if (steered !== undefined && steered.waiting.length > 0) return 'message';
  const isAnswered = open?.calls.some(
    ({ id, question_ms }) => question_ms !== undefined && open.outcomes[id]?.state === 'succeeded',
  );
  if (isAnswered) return 'answer';
  return next_message ? 'session' : null;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
