/** Workflow time, and whether an update still comes in time. */
import { ApplicationFailure } from '@temporalio/workflow';
import type { Json } from '../../shared/json/json';
import { lateFault, TOO_LATE } from '../../shared/wire/waits';
import { getActivator } from './activator';

/** Workflow time, ISO 8601: the same after a replay. */
export function now(): string {
  return new Date(Date.now()).toISOString();
}

/** For validators, first of all: what is refused here leaves nothing in history. @throws ApplicationFailure with both times */
export function mustBeInTime(waits: Json | undefined): void {
  const reason = lateFault(waits, Date.now());
  if (reason !== null) throw ApplicationFailure.nonRetryable(reason, TOO_LATE);
}

// The random seed of a workflow, by which code of a workflow sees a reset: Temporal then gives it another one, at the same place
// in every replay. Nothing else that workflow code sees tells: the run's id is the new one from the first event on, and that of
// the old one where a history is replayed by itself. The seed has no public name in the SDK; without it a reset is noticed where
// the call runs (activities/checks/after-reset.ts), which is what keeps the effect one.

export function resetSeed(): string {
  return getActivator().randomnessSeed.join();
}
