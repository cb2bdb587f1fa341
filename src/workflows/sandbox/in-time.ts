/** Whether whoever has sent an update still waits for its answer. */
import { ApplicationFailure } from '@temporalio/workflow';
import type { Json } from '../../shared/json';
import { lateFault, TOO_LATE } from '../../shared/waits';

/** For validators, first of all: what is refused here leaves nothing in history. @throws ApplicationFailure with both times */
export function mustBeInTime(waits: Json | undefined): void {
  const reason = lateFault(waits, Date.now());
  if (reason !== null) throw ApplicationFailure.nonRetryable(reason, TOO_LATE);
}
