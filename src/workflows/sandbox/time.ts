/** Workflow time, the check that the sender of an update still waits, and how workflow code detects that it was reset. */
import { ApplicationFailure } from '@temporalio/workflow';
import type { Json } from '../../shared/json/json';
import { lateFault, TOO_LATE } from '../../shared/wire/waits';
import { getActivator } from './activator';

/** Workflow time, ISO 8601: the same after a replay. */
export function now(): string {
  return new Date(Date.now()).toISOString();
}

/** For validators, as their first check: a refusal leaves nothing in history. @throws ApplicationFailure with both times */
export function mustBeInTime(waits: Json | undefined): void {
  const reason = lateFault(waits, Date.now());
  if (reason !== null) throw ApplicationFailure.nonRetryable(reason, TOO_LATE);
}

/**
 * The random seed of a workflow: Temporal gives it another one at a reset, at the same place in every replay. Nothing else shows a
 * reset to workflow code: the run id is the new one from the first event on, and the old one if a history is replayed by itself. The
 * seed has no public name in the SDK. Without it, the activity that runs the call still detects a reset
 * (activities/checks/after-reset.ts); that check prevents a second effect.
 */
export function resetSeed(): string {
  return getActivator().randomnessSeed.join();
}
