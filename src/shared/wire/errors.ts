/** Makes the error of a call. */
import type { CallError } from '../../shapes/call-error';
import { ERROR_CODES, type ErrorCode } from './error-codes';

export type { CallError };

/** Reason of a TIMEOUT before the tool was asked at all: nothing has happened. */
export const BEGUN_TOO_LATE = 'begun_too_late';

/** Longest message that crosses into history; longer ones are cut (Temporal hangs on huge failures). */
const MAX_MESSAGE = 2000;

/** Builds a {@link CallError}; kind and retryable follow from the code. The store could not keep half a character. */
export function callError(
  code: ErrorCode,
  reason: string,
  message: string,
  more: Omit<Partial<CallError>, 'code' | 'kind' | 'reason' | 'message' | 'retryable'> = {},
): CallError {
  const { kind, retryable } = ERROR_CODES[code];
  return { code, kind, reason, message: cut(message).toWellFormed(), retryable, ...more };
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}… (${text.length} characters)`;
}
