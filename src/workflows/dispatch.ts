/**
 * The calls of one step. Questions are asked at once, so that a person can decide all of them in any
 * order; batches run in the order of the calls, and so do the results go back.
 */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { AdmittedCall, CallOutcome } from '../shared/activity-io';
import { batches, forEachCapped } from '../shared/batches';
import { admit } from './admission';
import { endCall, propose, stoppedOutcome } from './call-log';
import type { Admission, Dispatch, Ran } from './dispatch-types';
import { refuseThird, rememberFailure } from './repetition';
import { runDestructive } from './run-destructive';
import { runHarmless } from './run-harmless';

type Outcomes = Map<string, CallOutcome>;
type Admissions = Map<string, Admission | Promise<Admission>>;

/** Runs the calls of a step; leaves their outcomes, in order, in `data.outcomes`, also when the turn is cancelled midway. */
export async function dispatch(context: Dispatch, calls: AdmittedCall[]): Promise<void> {
  const { data } = context;
  const outcomes: Outcomes = new Map();
  for (const call of calls) {
    propose(data, call);
    const refusal = call.error ?? refuseThird(data, call);
    if (refusal) outcomes.set(call.id, endCall(data, call, 'rejected', { error: refusal }));
  }
  const runnable = calls.filter((call) => !outcomes.has(call.id));
  const admissions: Admissions = new Map(runnable.map((call) => [call.id, admit(context, call)]));
  for (const admission of admissions.values()) {
    // A refusal counts at once, even if a cancellation keeps its batch from being reached; errors surface in the batch.
    if (!(admission instanceof Promise)) continue;
    admission.then((it) => void (it.ok || outcomes.set(it.outcome.call_id, it.outcome))).catch(() => undefined);
  }

  try {
    for (const batch of batches(runnable)) await runBatch(context, batch, admissions, outcomes);
  } finally {
    data.outcomes = calls.map((call) => outcomes.get(call.id) ?? stoppedOutcome(data, call, null));
    data.outcomes.forEach((outcome, index) => rememberFailure(data, calls[index]!, outcome));
  }
}

async function runBatch(context: Dispatch, batch: AdmittedCall[], admissions: Admissions, outcomes: Outcomes): Promise<void> {
  const { max_parallel, sibling_abort } = context.data.policy!;
  let longest = 0;
  const run = async (call: AdmittedCall): Promise<void> => {
    const admitted = admissions.get(call.id)!;
    const admission = admitted instanceof Promise ? await admitted : admitted;
    const ran = admission.ok ? await runAdmitted(context, call, admission) : { outcome: admission.outcome, took_ms: 0 };
    outcomes.set(call.id, ran.outcome);
    longest = Math.max(longest, ran.took_ms);
  };
  if (sibling_abort && batch.length > 1) await runUntilFailure(context, batch, run, outcomes);
  else await forEachCapped(batch, max_parallel, run);
  context.data.worked_ms += longest;
}

/** The first call that fails stops its siblings; each of them gets an outcome that names it. */
async function runUntilFailure(
  { data }: Dispatch,
  batch: AdmittedCall[],
  run: (call: AdmittedCall) => Promise<void>,
  outcomes: Outcomes,
): Promise<void> {
  const scope = new CancellationScope();
  let abortedBy: string | null = null;
  await scope.run(() =>
    forEachCapped(batch, data.policy!.max_parallel, async (call) => {
      if (abortedBy !== null) return void outcomes.set(call.id, stoppedOutcome(data, call, abortedBy));
      try {
        await run(call);
      } catch (error) {
        if (abortedBy === null || !isCancellation(error)) throw error;
        outcomes.set(call.id, stoppedOutcome(data, call, abortedBy));
      }
      if (abortedBy === null && outcomes.get(call.id)?.state === 'failed') {
        abortedBy = call.id;
        scope.cancel();
      }
    }),
  );
}

function runAdmitted(context: Dispatch, call: AdmittedCall, admission: Admission & { ok: true }): Promise<Ran> {
  return call.class === 'destructive' ? runDestructive(context, call, admission) : runHarmless(context, call, admission);
}
