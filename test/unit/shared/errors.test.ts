import { canonical } from '../../../src/shared/json/canonical';
import { callError } from '../../../src/shared/wire/errors';
import { ERROR_CODES, type ErrorCode } from '../../../src/shared/wire/error-codes';

/** The codes of the tool specification, and one that approvals add: code, HTTP status, whether a retry can help, and the kind for the model. */
const TABLE: [ErrorCode, number, boolean, string][] = [
  ['INVALID_PARAMS', 400, false, 'USER_INPUT_ERROR'],
  ['UNAUTHORIZED', 401, false, 'FATAL_ERROR'],
  ['PERMISSION_DENIED', 403, false, 'FATAL_ERROR'],
  ['TOOL_NOT_FOUND', 404, false, 'USER_INPUT_ERROR'],
  ['RESOURCE_NOT_FOUND', 404, false, 'USER_INPUT_ERROR'],
  ['CONFIRMATION_REQUIRED', 409, false, 'FATAL_ERROR'],
  ['TOOL_DEPRECATED', 410, false, 'USER_INPUT_ERROR'],
  ['QUOTA_EXCEEDED', 429, false, 'FATAL_ERROR'],
  ['RATE_LIMITED', 429, true, 'TRANSIENT_ERROR'],
  ['EXECUTION_ERROR', 500, false, 'FATAL_ERROR'],
  ['NETWORK_ERROR', 503, true, 'TRANSIENT_ERROR'],
  ['TIMEOUT', 504, true, 'TRANSIENT_ERROR'],
];

describe('error codes', () => {
  it('are those of the specification, with their HTTP status, retryability and kind', () => {
    const ours = Object.entries(ERROR_CODES).map(([code, { httpStatus, retryable, kind }]) => [
      code,
      httpStatus,
      retryable,
      kind,
    ]);
    expect(ours).toEqual(TABLE);
  });

  it('give an error its kind and retryability, and cut texts that are too long for history', () => {
    const error = callError('TIMEOUT', 'too_slow', 'x'.repeat(5000), { hint: 'Ask for less.', retry_after_ms: 7 });
    expect(error).toMatchObject({ kind: 'TRANSIENT_ERROR', retryable: true, hint: 'Ask for less.', retry_after_ms: 7 });
    expect(error.message).toMatch(/^x{2000}… \(5000 characters\)$/);
  });

  it('give an error a message that the store can keep, wherever it is cut', () => {
    for (const before of [1998, 1999, 2000]) {
      const { message } = callError('NETWORK_ERROR', 'lost', `${'x'.repeat(before)}\u{1F600}${'y'.repeat(100)}`);
      expect(() => canonical(message)).not.toThrow();
    }
    expect(callError('NETWORK_ERROR', 'lost', '\ud83d').message).toBe('\ufffd');
  });
});
