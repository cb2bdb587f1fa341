/**
 * Runs an admitted call. Temporal retries calls that are safe to repeat. A destructive call is dispatched again only after proof that it
 * had no effect, or if its tool is idempotent; after a lost attempt the effect record says whether the call began.
 */
import { ActivityFailure, CancellationScope, patched, sleep, isCancellation } from '@temporalio/workflow';
import type { AdmittedCall, CallArguments, CallOutcome, RunCallInput, RunCallOutput } from '../../shared/io/activities';
import { callError, BEGUN_TOO_LATE, type CallError } from '../../shared/wire/errors';
import { CLASS_RULES, LONGEST_WAIT_TO_REPEAT } from '../../shared/turn/tool-class';
import { FREEZE, timeFault, type Waker, wakeTime } from '../../shared/turn/turn-states';
import { executeCall, inspectEffect, waitForUnfreeze } from '../activities';
import { condition } from '../sandbox/condition';
import { now } from '../sandbox/time';
import { showState } from '../turn/publish-turn-state';
import { keepProgress, type TurnData } from '../turn/state';
import { admittedAs, endCall, moveCall, notRunOutcome, stoppedOutcome } from './call-log';
import type { Admission, Dispatch, NeedsDecision, CallRun } from './dispatch-types';
import { settleDoubt, settledLater } from './in-doubt';
import { endLater, type EndedOutput } from './pending';

/** Most dispatches of one call, for all causes together. */
const MAX_DISPATCHES = 10;
/** How often its tool's limits may postpone a call. */
const MAX_WAITS = 10;

export async function runDestructive(
  context: Dispatch,
  call: AdmittedCall,
  admission: Admission & { ok: true },
): Promise<CallRun | NeedsDecision> {
  const { data } = context;
  const progress = data.open?.progress[call.id];
  if (progress?.at === 'probing' || progress?.at === 'doubt') {
    const later = await settledLater(context, call, progress);
    return { outcome: endCall(data, call, finalOutput(later).state, later), took_ms: 0 };
  }
  if (progress?.at === 'pending') {
    const end = await endOf(context, call, admission);
    return { outcome: endCall(data, call, end.state, end), took_ms: 0 };
  }
  moveCall(data, call.id, 'running');
  const dispatches: Dispatches = { result: null, took_ms: 0, hasRecord: false };
  try {
    const answer = await dispatchUntilFinal(context, call, admission, dispatches);
    if (answer !== null) return answer;
  } catch (error) {
    // The turn was cancelled before a dispatch, the first or a later one.
    if (!isCancellation(error) || !patched('cancelled-before-dispatch')) throw error;
    if (dispatches.result === null) {
      data.open!.outcomes[call.id] = notRunOutcome(data, call, decisionsToRecord(admission, dispatches));
      throw error;
    }
  }
  const { result, took_ms } = dispatches;
  if (result === null) {
    const most = mostDispatches(context);
    const error = callError(
      'EXECUTION_ERROR',
      'attempts_exhausted',
      `${call.tool} was lost ${most === 1 ? 'once' : `${most} times`} before it began.`,
    );
    const facts = { error, effect: 'not_applied' as const, ...decisionsToRecord(admission, dispatches) };
    return { outcome: endCall(data, call, 'failed', facts), took_ms };
  }
  const end = await endOf(context, call, admission, result);
  return { outcome: endCall(data, call, end.state, { ...end, ...decisionsToRecord(admission, dispatches) }), took_ms };
}

/** What the dispatches of a call have given so far. */
interface Dispatches {
  /** Null: none has begun. */
  result: RunCallOutput | null;
  took_ms: number;
  /** A dispatch has recorded what people said. */
  hasRecord: boolean;
}

/** The words of people that no dispatch has recorded: the next step does. */
function decisionsToRecord(
  { approvals, args }: Admission & { ok: true },
  { hasRecord }: Dispatches,
): Pick<CallOutcome, 'approvals' | 'earlier'> {
  return hasRecord ? {} : { approvals, earlier: args.earlier ?? [] };
}

function mostDispatches({ options }: Dispatch): number {
  return options?.enable_retry === false ? 1 : MAX_DISPATCHES;
}

/** Dispatches the call until `dispatches` has its final result, or as often as is allowed. @returns how else it ended; null: so */
async function dispatchUntilFinal(
  context: Dispatch,
  call: AdmittedCall,
  admission: Admission & { ok: true },
  dispatches: Dispatches,
): Promise<CallRun | NeedsDecision | null> {
  const { data } = context;
  const most = mostDispatches(context);
  let waits = 0;
  for (let dispatch = 1; dispatch <= most; dispatch++) {
    if (dispatches.result === null && data.interrupted && patched('interrupted-before-dispatch'))
      return { outcome: notRunOutcome(data, call, decisionsToRecord(admission, dispatches)), took_ms: dispatches.took_ms };
    const args = { ...admission.args, dispatch };
    const answer = await dispatchOnce(context, call, args, admission);
    if (answer === null) {
      await unlessInterrupted(context, () => sleep(backoff(dispatch))); // the record proves that it never began
      continue;
    }
    dispatches.took_ms += answer.took_ms;
    data.head = answer.head ?? data.head;
    dispatches.hasRecord ||= answer.head !== null || answer.state === 'pending';
    if (answer.held) return { held: answer.held, took_ms: dispatches.took_ms };
    if (answer.error?.reason === FREEZE && patched('frozen-calls')) {
      await unlessInterrupted(context, () => waitForUnfreeze({ turn: context.turn, tool: call.tool }));
      if (dispatches.result !== null && interruptionEnds(data)) return null;
      dispatch -= 1; // it was not dispatched
      continue;
    }
    if (answer.busy_ms !== undefined) {
      if (++waits > MAX_WAITS) {
        dispatches.result ??= answer; // the result of an earlier dispatch, such as in doubt, stays
        return null;
      }
      const pause = Math.max(answer.busy_ms, backoff(waits));
      await unlessInterrupted(context, () => sleep(pause));
      if (dispatches.result !== null && interruptionEnds(data)) return null;
      dispatch -= 1; // it was not dispatched
      continue;
    }
    dispatches.result = answer;
    const wait = waitBeforeNext(call, answer, dispatch);
    if (wait === null || most === 1) return null;
    if (!patched('waits-before-repetition')) await sleep(wait);
    else if (wait > LONGEST_WAIT_TO_REPEAT) return null;
    else {
      await unlessInterrupted(context, () => sleep(wait));
      if (data.interrupted) return null;
    }
  }
  return null;
}

/** A call that was dispatched before ends with what that gave: somebody has interrupted its turn. */
function interruptionEnds({ interrupted }: TurnData): boolean {
  return interrupted !== undefined && patched('interrupted-after-dispatch');
}

/** Waits before a dispatch, but not longer than until somebody interrupts the turn. */
async function unlessInterrupted({ data }: Dispatch, wait: () => Promise<unknown>): Promise<void> {
  if (!patched('interrupted-before-dispatch')) return void (await wait());
  const scope = new CancellationScope();
  await scope.run(() => Promise.race([wait(), condition(() => data.interrupted !== undefined)]));
  scope.cancel(); // of the two the one that goes on
}

/**
 * The end of a dispatch: of a pending one, once it has ended; of one in doubt, once that is settled.
 * @param result absent: it is pending since an earlier run
 */
async function endOf(
  context: Dispatch,
  call: AdmittedCall,
  admission: Admission & { ok: true },
  result?: RunCallOutput,
): Promise<EndedOutput> {
  const isPending = result === undefined || result.state === 'pending';
  // Only calls without an effect end as nothing.
  const end = isPending ? (await endLater(context, call, admission, result?.later))! : finalOutput(result);
  return end.state === 'in_doubt' ? finalOutput(await settleDoubt(context, call, admission, end)) : end;
}

function finalOutput(result: RunCallOutput): EndedOutput {
  return result as EndedOutput;
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
    // Also while the turn is being cancelled: the state of the effect has to be known first.
    const inspection = await CancellationScope.nonCancellable(() => inspectEffect({ ...common, at: now(), cause }));
    if (inspection.found === 'outcome') return inspection.outcome;
    context.data.head = inspection.head;
    if (CancellationScope.current().consideredCancelled) throw error;
    return null;
  }
}

// Calls that are safe to repeat: Temporal retries them, under one idempotency key.

/** @param more what the activity needs for calls of some tools */
export async function runRepeatable(
  context: Dispatch,
  call: AdmittedCall,
  admission: Admission & { ok: true },
  more: Pick<RunCallInput, 'waited'> = {},
): Promise<CallRun | NeedsDecision> {
  const isPending = context.data.open?.progress[call.id]?.at === 'pending';
  if (!isPending) moveCall(context.data, call.id, 'running');
  const decisions = { approvals: admission.approvals, earlier: admission.args.earlier ?? [] };
  const run = () =>
    executeCall(call, {
      turn: context.turn,
      call: admission.args,
      at: now(),
      head: context.data.head!,
      approvals: admission.approvals,
      ...admittedAs(call),
      ...(context.options ? { options: context.options } : {}),
      ...more,
    });
  try {
    const result = isPending ? null : await run();
    const took_ms = result?.took_ms ?? 0;
    if (result?.held) return { held: result.held, took_ms };
    const isOver = result !== null && result.state !== 'pending';
    const end = isOver ? finalOutput(result) : await endLater(context, call, admission, result?.later);
    if (end === null) return { outcome: stoppedOutcome(context.data, call, null), took_ms };
    return { outcome: endCall(context.data, call, end.state, { ...end, ...decisions }), took_ms };
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const cause = error.cause?.message ?? error.message;
    const exhaustion = callError('EXECUTION_ERROR', 'attempts_exhausted', `${call.tool} could not be completed: ${cause}`);
    return { outcome: endCall(context.data, call, 'failed', { error: exhaustion, ...decisions }), took_ms: 0 };
  }
}

// Whether and when a destructive call is dispatched again after a result: it needs proof that nothing has happened, or an
// idempotent tool.

/** For an idempotent call in doubt whose error code has no limit of its own, such as after a killed worker. */
const RETRIES_IN_DOUBT = 3;

/** How long to wait before dispatching again, ms; null: the result is final. */
export function waitBeforeNext(
  call: Pick<AdmittedCall, 'idempotent'>,
  { state, effect, error }: Pick<RunCallOutput, 'state' | 'effect' | 'error'>,
  dispatch: number,
): number | null {
  const provenNothing = state === 'failed' && effect === 'not_applied';
  const harmless = state === 'in_doubt' && call.idempotent; // the upstream honours the key
  if (!error || !(provenNothing || harmless)) return null;
  // The tool never ran, so this is not the tool's answer: the attempt was lost.
  if (provenNothing && error.reason === BEGUN_TOO_LATE) return backoff(dispatch);
  const mostRetries = CLASS_RULES.read.retries[error.code] ?? (harmless ? RETRIES_IN_DOUBT : 0);
  if (dispatch > mostRetries) return null;
  return error.retry_after_ms ?? backoff(dispatch);
}

/** ms; doubles with each dispatch. */
export function backoff(dispatch: number): number {
  return Math.min(30_000, 500 * 2 ** (dispatch - 1));
}

// Waits that the model asks for (the tool `wait_until`): a timer of the workflow, without a running activity, which goes on in the next
// run. What ends a wait early is state of the turn, so that nothing is lost that comes while a run continues in another.

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
function wakerOf({ steered, open }: TurnData): Waker | null {
  if (steered !== undefined && steered.waiting.length > 0) return 'message';
  const isAnswered = open?.calls.some(
    ({ id, question_ms }) => question_ms !== undefined && open.outcomes[id]?.state === 'succeeded',
  );
  return isAnswered ? 'answer' : null;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
