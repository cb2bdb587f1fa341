/**
 * The error codes of a tool call: one table gives HTTP status, the kind that the model is told, and
 * whether a retry can help. Source: contract.md, "Tool results".
 */
export const ERROR_CODES = {
  INVALID_PARAMS: { httpStatus: 400, kind: 'USER_INPUT_ERROR', retryable: false },
  UNAUTHORIZED: { httpStatus: 401, kind: 'FATAL_ERROR', retryable: false },
  PERMISSION_DENIED: { httpStatus: 403, kind: 'FATAL_ERROR', retryable: false },
  TOOL_NOT_FOUND: { httpStatus: 404, kind: 'USER_INPUT_ERROR', retryable: false },
  RESOURCE_NOT_FOUND: { httpStatus: 404, kind: 'USER_INPUT_ERROR', retryable: false },
  CONFIRMATION_REQUIRED: { httpStatus: 409, kind: 'FATAL_ERROR', retryable: false },
  TOOL_DEPRECATED: { httpStatus: 410, kind: 'USER_INPUT_ERROR', retryable: false },
  QUOTA_EXCEEDED: { httpStatus: 429, kind: 'FATAL_ERROR', retryable: false },
  RATE_LIMITED: { httpStatus: 429, kind: 'TRANSIENT_ERROR', retryable: true },
  EXECUTION_ERROR: { httpStatus: 500, kind: 'FATAL_ERROR', retryable: false },
  NETWORK_ERROR: { httpStatus: 503, kind: 'TRANSIENT_ERROR', retryable: true },
  TIMEOUT: { httpStatus: 504, kind: 'TRANSIENT_ERROR', retryable: true },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
export type ErrorKind = (typeof ERROR_CODES)[ErrorCode]['kind'];

/** What went wrong, as it stands in an envelope and as the model reads it. */
export interface CallError {
  code: ErrorCode;
  kind: ErrorKind;
  /** The tool's own word, snake_case: `ticker_not_found`. */
  reason: string;
  message: string;
  retryable: boolean;
  /** What to do about it. */
  hint?: string;
  /** Milliseconds that the upstream asked to wait. */
  retry_after_ms?: number;
  /** Further facts, e.g. every schema violation. */
  details?: { path: string; message: string }[];
  /** TOOL_DEPRECATED: the tool to use instead, since when, and how (address or text). */
  replacement?: string;
  sunset_date?: string;
  migration_guide?: string;
}

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
