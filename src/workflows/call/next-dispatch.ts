/** Whether a destructive call is dispatched again after a result, and when. Proof that nothing has happened is what allows it. */
import type { AdmittedCall, RunCallOutput } from '../../shared/activity-io';
import { BEGUN_TOO_LATE } from '../../shared/wire/errors';
import { CLASS_RULES } from '../../shared/turn/tool-class';

/** Of an idempotent call that failed without saying how, a killed worker included. */
const RETRIES_IN_DOUBT = 3;

/** How long to wait before dispatching again, ms; null when the result stands. */
export function waitBeforeNext(
  call: Pick<AdmittedCall, 'idempotent'>,
  { state, effect, error }: Pick<RunCallOutput, 'state' | 'effect' | 'error'>,
  dispatch: number,
): number | null {
  const provenNothing = state === 'failed' && effect === 'not_applied';
  const harmless = state === 'in_doubt' && call.idempotent; // the upstream honours the key
  if (!error || !(provenNothing || harmless)) return null;
  // The tool was never asked, so this is no answer of its: the attempt was lost.
  if (provenNothing && error.reason === BEGUN_TOO_LATE) return backoff(dispatch);
  const allowed = CLASS_RULES.read.retries[error.code] ?? (harmless ? RETRIES_IN_DOUBT : 0);
  if (dispatch > allowed) return null;
  return error.retry_after_ms ?? backoff(dispatch);
}

/** ms; doubles with each dispatch. */
export function backoff(dispatch: number): number {
  return Math.min(30_000, 500 * 2 ** (dispatch - 1));
}
