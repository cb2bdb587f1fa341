/** Retries, counted per error code: Temporal's own policy has one counter for all of them. */
import type { CallError } from '../shared/errors';
import type { ErrorCode } from '../shared/error-codes';
import { CLASS_RULES, type ToolClass } from '../shared/tool-class';

export type RetryCounts = Partial<Record<ErrorCode, number>>;

const FIRST_DELAY = 500;
const LONGEST_DELAY = 30_000;
/** An upstream that asks for more than an hour has refused. */
const LONGEST_WISH = 3_600_000;

/** How long to wait before the next attempt, ms, and the counts to carry over; null when the failure stands. */
export function nextRetry(
  toolClass: ToolClass,
  counts: RetryCounts,
  error: CallError,
): { delayMs: number; counts: RetryCounts } | null {
  const used = counts[error.code] ?? 0;
  const allowed = CLASS_RULES[toolClass].retries[error.code] ?? 0;
  if (used >= allowed) return null;
  const wish = error.retry_after_ms;
  if (wish !== undefined && wish > LONGEST_WISH) return null;
  const delayMs = wish ?? Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** used);
  return { delayMs, counts: { ...counts, [error.code]: used + 1 } };
}
