/**
 * Runs the calls of one step. All questions are asked at once, so that a person can decide them in any order. Batches run, and
 * results go back, in the order of the calls.
 */
import { CancellationScope, isCancellation, patched } from '@temporalio/workflow';
import type { AdmittedCall, CallOutcome } from '../../shared/io/activities';
import { PLAIN_POLICY } from '../../shared/approval/approval';
import { batches, forEachConcurrent } from '../../shared/turn/calls';
import { admit, admitAs, closeOpenQuestion, saidOn } from './admission';
import { endCall, propose, stoppedOutcome, supersede } from './call-log';
import type { Admission, Dispatch, CallRun } from './dispatch-types';
import { refuseThird, rememberFailure } from './repetition';
import { refuseWait, runDestructive, runRepeatable, runWait } from './run-call';
import { runSubTurn } from '../sub-agents/run-sub-turn';
import { callBegan } from '../sandbox/trace';
import type { OpenStep } from '../turn/state';
import { fitCalls } from '../turn/state-limits';

type Outcomes = Record<string, CallOutcome>;
type Admissions = Map<string, Admission | Promise<Admission>>;

/** Runs the calls of a step. Puts their outcomes, in order, into `data.outcomes`, also if the turn is cancelled midway. */
export async function dispatch(context: Dispatch, calls: AdmittedCall[]): Promise<void> {
  const { data } = context;
  const outcomes: Outcomes = {};
  data.open = { calls, outcomes, progress: {} };
  for (const call of calls) {
    callBegan(call.id);
    propose(data, call);
    const refusal = call.error ?? refuseThird(data, call) ?? refuseWait(call);
    if (data.interrupted) outcomes[call.id] = stoppedOutcome(data, call, null);
    else if (refusal) outcomes[call.id] = endCall(data, call, 'rejected', { error: refusal });
  }
  fitCalls(data);
  await runOpenStep(context, data.open);
}

/** Runs the calls of an open step that have no outcome yet. */
export async function runOpenStep(context: Dispatch, { calls, outcomes }: OpenStep): Promise<void> {
  const { data } = context;
  const runnable = calls.filter((call) => outcomes[call.id] === undefined);
  const admissions: Admissions = new Map(runnable.map((call) => [call.id, admit(context, call)]));
  for (const admission of admissions.values()) {
    // A refusal is recorded at once, even if a cancellation keeps its batch from running. The batch reports errors.
    if (!(admission instanceof Promise)) continue;
    admission.then((it) => void (it.ok || (outcomes[it.outcome.call_id] = it.outcome))).catch(() => undefined);
  }

  const isWait = ({ longest_wait_ms }: AdmittedCall) => longest_wait_ms !== undefined;
  const waits = runnable.filter(isWait);
  const others = batches(runnable.filter((call) => !isWait(call)));
  const runOthers = async () => {
    for (const batch of others) await runBatch(context, batch, admissions, outcomes);
  };
  const wait = () => forEachConcurrent(waits, waits.length, (call) => runBatch(context, [call], admissions, outcomes));

  try {
    await (waits.length === 0 ? runOthers() : runBeside(wait, runOthers));
  } finally {
    data.outcomes = calls.map((call) => outcomes[call.id] ?? stoppedOutcome(data, call, null));
    data.outcomes.forEach((outcome, index) => rememberFailure(data, calls[index]!, outcome));
    delete data.open;
    fitCalls(data);
  }
}

/** Waits beside the other calls. If these fail, nothing is waited for any more. */
async function runBeside(wait: () => Promise<void>, runOthers: () => Promise<void>): Promise<void> {
  const scope = new CancellationScope();
  const waiting = scope.run(wait);
  waiting.catch(() => undefined); // it is awaited once the others have ended
  try {
    await runOthers();
  } catch (error) {
    scope.cancel();
    await waiting.catch(() => undefined);
    throw error;
  }
  await waiting;
}

async function runBatch(context: Dispatch, batch: AdmittedCall[], admissions: Admissions, outcomes: Outcomes): Promise<void> {
  const { max_parallel, sibling_abort } = context.data.policy!;
  let longest = 0;
  const run = async (call: AdmittedCall): Promise<void> => {
    const pending = admissions.get(call.id)!;
    const admission = pending instanceof Promise ? await pending : pending;
    if (context.data.interrupted && admission.ok && !isUnderWay(context, call))
      return void (outcomes[call.id] = stoppedOutcome(context.data, call, null));
    const result = admission.ok ? await runAdmittedCall(context, call, admission) : { outcome: admission.outcome, took_ms: 0 };
    outcomes[call.id] = result.outcome;
    longest = Math.max(longest, result.took_ms);
  };
  if (sibling_abort && batch.length > 1) await runUntilFailure(context, batch, run, outcomes);
  else await forEachConcurrent(batch, max_parallel, run);
  context.data.worked_ms += longest;
}

/** The first call that fails stops the others of its batch. Each of them gets an outcome that names it. */
async function runUntilFailure(
  { data }: Dispatch,
  batch: AdmittedCall[],
  run: (call: AdmittedCall) => Promise<void>,
  outcomes: Outcomes,
): Promise<void> {
  const scope = new CancellationScope();
  let abortedBy: string | null = null;
  await scope.run(() =>
    forEachConcurrent(batch, data.policy!.max_parallel, async (call) => {
      if (abortedBy !== null) return void (outcomes[call.id] = stoppedOutcome(data, call, abortedBy));
      try {
        await run(call);
      } catch (error) {
        if (abortedBy === null || !isCancellation(error)) throw error;
        outcomes[call.id] ??= stoppedOutcome(data, call, abortedBy); // a sub-agent's call has its own outcome
      }
      if (abortedBy === null && outcomes[call.id]?.state === 'failed') {
        abortedBy = call.id;
        scope.cancel();
      }
    }),
  );
}

/** Runs an admitted call. If a check holds it back before its dispatch, people are asked again and the call is retried. */
async function runAdmittedCall(context: Dispatch, call: AdmittedCall, admission: Admission & { ok: true }): Promise<CallRun> {
  const run = runnerOf(call);
  let took = 0;
  for (let current = admission; ;) {
    const result = await context.inFlight.during(() => run(context, call, current));
    took += result.took_ms;
    if (!('held' in result)) return { ...result, took_ms: took };
    const { digest } = current.args;
    if (current.approvals.length > 0) closeOpenQuestion(context, { digest, policy: call.approval ?? PLAIN_POLICY });
    const revision = current.args.revision + 1;
    supersede(context.data, call, revision);
    const earlier = saidOn(current.args, current.approvals);
    const { makers = [] } = current.args;
    const again = await admitAs(context, call, { revision, reasons: result.held, edit: null, makers, earlier });
    if (!again.ok) return { outcome: again.outcome, took_ms: took };
    current = again;
  }
}

function runnerOf({ sub_agent, longest_wait_ms, class: toolClass }: AdmittedCall) {
  if (sub_agent !== undefined) return runSubTurn;
  if (longest_wait_ms !== undefined) return runWait;
  return toolClass === 'destructive' ? runDestructive : runRepeatable;
}

/** The call was dispatched, in this run or an earlier one: an interruption comes too late for it. */
function isUnderWay({ data }: Dispatch, { id }: AdmittedCall): boolean {
  const at = data.open?.progress[id]?.at ?? '';
  return ['pending', 'probing', 'doubt'].includes(at) || (at === 'sub_turn' && patched('interrupted-sub-turns'));
}
