/** Waits for the end of a child workflow that answers a call, and counts what it has used. */
import { CancellationScope, getExternalWorkflowHandle, isCancellation, workflowInfo } from '@temporalio/workflow';
import { sumUsage, ZERO_SPENDING } from '../../shared/turn/sub-turn';
import { lookAtSubTurn } from '../activities';
import type { Dispatch } from '../call/dispatch-types';
import { condition } from '../sandbox/condition';
import { showState } from '../turn/publish-turn-state';
import type { SubTurn } from '../turn/state';
import { cutReason } from '../turn/state-limits';
import { addMakers } from '../turn/steering';
import { newQuestions } from './sub-turns';

/** A child that was ended from outside sends no signal: it is checked at growing intervals, ms. */
const FIRST_PROBE_MS = 60_000;
const LONGEST_PROBE_MS = 3_600_000;

/**
 * Resolves when the child has ended. Passes a cancellation on, and still waits for the end: an effect may be in progress.
 * @returns the cancellation; null: there was none
 */
export async function waitForEnd(context: Dispatch, sub: SubTurn): Promise<unknown> {
  const { turn, inFlight, data, questions } = context;
  let cancellation: unknown = null;
  let patience = FIRST_PROBE_MS;
  for (;;) {
    try {
      await waitForNews(context, sub, patience, cancellation !== null);
    } catch (error) {
      if (!isCancellation(error) || cancellation !== null) throw error;
      cancellation = error;
      await cancelChild(sub);
      continue;
    }
    patience = Math.min(LONGEST_PROBE_MS, patience * 2);
    sub.news = false;
    const before = sub.report;
    const { said_by = [], ...report } = await CancellationScope.nonCancellable(() =>
      inFlight.during(() => lookAtSubTurn({ turn, workflow_id: sub.workflow_id })),
    );
    addMakers(data, turn, said_by); // people who spoke to the child influence its answer
    sub.report = report;
    showState(data, questions);
    for (const { kind, run_id, call } of newQuestions(before, sub.report))
      context.onQuestion({ kind, run_id, digest: call.digest! });
    if (sub.report.ended) return cancellation;
  }
}

/** A full run continues as new instead, and the next run checks the child first; a cancelled run waits for the end. */
async function waitForNews({ inFlight }: Dispatch, sub: SubTurn, patience: number, isCancelled: boolean): Promise<void> {
  if (isCancelled) return void (await CancellationScope.nonCancellable(() => condition(() => sub.news, patience)));
  await inFlight.apart(() => condition(() => sub.news && !workflowInfo().continueAsNewSuggested, patience));
}

export function cancelChild({ workflow_id }: SubTurn): Promise<void> {
  return CancellationScope.nonCancellable(
    () =>
      getExternalWorkflowHandle(workflow_id)
        .cancel()
        .catch(() => undefined), // it has ended already
  );
}

/** Counts what the child has used; the rest of its reservation is free again. */
export function settleReservation({ data }: Dispatch, sub: SubTurn): void {
  if (sub.reserved === null) return;
  const below = data.below ?? ZERO_SPENDING;
  const { spent, reason } = sub.report!;
  sub.reserved = null;
  sub.report = { ...sub.report!, reason: cutReason(reason), waiting: [] };
  data.below = {
    usage: sumUsage(below.usage, spent.usage),
    steps: below.steps + spent.steps,
    time_ms: below.time_ms + spent.time_ms,
  };
}
