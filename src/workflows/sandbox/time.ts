/** Workflow time, and the check that the sender of an update still waits. */
import { ApplicationFailure } from '@temporalio/workflow';
import type { Json } from '../../shared/json/json';
import { lateFault, TOO_LATE } from '../../shared/wire/waits';

/** Workflow time, ISO 8601: the same after a replay. */
export function now(): string {
  return new Date(Date.now()).toISOString();
}

/** For validators, as their first check: a refusal leaves nothing in history. @throws ApplicationFailure with both times */
export function mustBeInTime(waits: Json | undefined): void {
  const reason = lateFault(waits, Date.now());
  if (reason !== null) throw ApplicationFailure.nonRetryable(reason, TOO_LATE);
}
