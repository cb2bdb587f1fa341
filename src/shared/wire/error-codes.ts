/** Kinds and codes of the errors of a tool call. */
export const ERROR_KINDS = ['USER_INPUT_ERROR', 'TRANSIENT_ERROR', 'FATAL_ERROR'] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/**
 * The error codes of a tool call. One table gives the HTTP status, the kind that the model receives, and whether a retry can help.
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
} as const satisfies Record<string, { httpStatus: number; kind: ErrorKind; retryable: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;
