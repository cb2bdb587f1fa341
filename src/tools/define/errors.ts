import type { ErrorCode } from '../../shared/wire/error-codes';
import { callError, type CallError } from '../../shared/wire/errors';
import { CLASS_RULES, type ToolClass } from '../../shared/turn/tool-class';

/**
 * What a tool throws when it can't do what was asked. The code decides retries and what the model
 * is told; anything else that a tool throws is reported as EXECUTION_ERROR.
 *
 * @example throw new ToolError('RESOURCE_NOT_FOUND', 'ticker_not_found', 'No company has ticker "ZZZZ".', { hint: 'Known: AAPL, MSFT.' })
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly detail: CallError;
  /** For destructive tools: whether it is certain that nothing happened outside (e.g. refused before sending). Undefined: by its code. */
  readonly nothingHappened: boolean | undefined;

  /**
   * @param reason the tool's own word for the fault, snake_case
   * @param message what was wrong, with the value
   * @param options `hint`: what to do; `retryAfterMs`: wait that the upstream asked for; `nothingHappened`: see above; say `false` of an
   *   upstream's answer that has a code of refusal (INVALID_PARAMS, RATE_LIMITED …) and came after it may have acted
   */
  constructor(
    code: ErrorCode,
    reason: string,
    message: string,
    options: { hint?: string; retryAfterMs?: number; nothingHappened?: boolean | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.nothingHappened = options.nothingHappened;
    this.detail = callError(code, reason, message, {
      ...(options.hint === undefined ? {} : { hint: options.hint }),
      ...(options.retryAfterMs === undefined ? {} : { retry_after_ms: options.retryAfterMs }),
    });
  }
}

/** By name, not `instanceof`: a tool package may carry another copy of this module. */
export function isToolError(error: unknown): error is ToolError {
  return error instanceof Error && error.name === 'ToolError' && 'detail' in error;
}

// Retries, counted per error code: Temporal's own policy has one counter for all of them.

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
