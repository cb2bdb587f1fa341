/** `ToolError`, the error that a tool throws, and the decision whether a failed call is retried. */
import type { ErrorCode } from '../../shared/wire/error-codes';
import { callError, type CallError } from '../../shared/wire/errors';
import { CLASS_RULES, LONGEST_WAIT_TO_REPEAT, type ToolClass } from '../../shared/turn/tool-class';
import { optional } from '../../shared/json/optional';

/**
 * The error that a tool throws when it cannot do what the call asks. The code decides about retries and about what the
 * model reads. Any other exception of a tool is reported as EXECUTION_ERROR.
 *
 * @example
 * throw new ToolError('RESOURCE_NOT_FOUND', 'ticker_not_found', 'No company has ticker "ZZZZ".', { hint: 'Known: AAPL, MSFT.' })
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly detail: CallError;
  /** For destructive tools: true if the call certainly had no effect (e.g. refused before sending). Undefined: the code decides. */
  readonly nothingHappened: boolean | undefined;

  /**
   * @param reason the tool's own name for the fault, snake_case
   * @param message what was wrong, with the value
   * @param options `hint`: what to do; `retryAfterMs`: wait that the upstream asked for; `nothingHappened`: see above; set it to
   *   `false` for an answer with a refusal code (INVALID_PARAMS, RATE_LIMITED …) that came after the upstream may have acted
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
      ...optional({ hint: options.hint, retry_after_ms: options.retryAfterMs }),
    });
  }
}

/** Checks the name, not `instanceof`: a tool's package may contain another copy of this module. */
export function isToolError(error: unknown): error is ToolError {
  return error instanceof Error && error.name === 'ToolError' && 'detail' in error;
}

// Retries are counted per error code: Temporal's own retry policy has one counter for all errors.

export type RetryCounts = Partial<Record<ErrorCode, number>>;

const FIRST_DELAY = 500;
const LONGEST_DELAY = 30_000;

/** How long to wait before the next attempt, ms, and the counts for the attempt after it; null: no retry. */
export function nextRetry(
  toolClass: ToolClass,
  counts: RetryCounts,
  error: CallError,
): { delayMs: number; counts: RetryCounts } | null {
  const retries = counts[error.code] ?? 0;
  const limit = CLASS_RULES[toolClass].retries[error.code] ?? 0;
  if (retries >= limit) return null;
  const wish = error.retry_after_ms;
  if (wish !== undefined && wish > LONGEST_WAIT_TO_REPEAT) return null;
  const delayMs = wish ?? Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** retries);
  return { delayMs, counts: { ...counts, [error.code]: retries + 1 } };
}
