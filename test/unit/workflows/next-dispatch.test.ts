/** A destructive call is dispatched again only if it is proven that nothing happened, or if its upstream makes repetition harmless. */
import { callError } from '../../../src/shared/wire/errors';
import type { ErrorCode } from '../../../src/shared/wire/error-codes';
import { waitBeforeNext } from '../../../src/workflows/call/run-call';

const failed = (code: ErrorCode, reason: string, effect: 'not_applied' | 'in_doubt' = 'not_applied') => ({
  state: effect === 'in_doubt' ? ('in_doubt' as const) : ('failed' as const),
  effect,
  error: callError(code, reason, 'It failed.'),
});
const dispatchesAfter = (idempotent: boolean, result: ReturnType<typeof failed>) =>
  Array.from({ length: 10 }, (_, i) => waitBeforeNext({ idempotent }, result, i + 1)).filter((wait) => wait !== null).length;

describe('a destructive call is dispatched again', () => {
  it('as often as a lost attempt if its tool was asked too late, because that is no answer of the tool', () => {
    expect(dispatchesAfter(false, failed('TIMEOUT', 'begun_too_late'))).toBe(10);
    expect(waitBeforeNext({ idempotent: false }, failed('TIMEOUT', 'begun_too_late'), 9)).toBe(30_000);
  });

  it('as often as a read if the tool says that nothing has happened', () => {
    expect(dispatchesAfter(false, failed('TIMEOUT', 'upstream_busy'))).toBe(2);
    expect(dispatchesAfter(false, failed('EXECUTION_ERROR', 'refused'))).toBe(0);
  });

  it('in doubt only if its upstream honours the key', () => {
    expect(dispatchesAfter(false, failed('TIMEOUT', 'begun_too_late', 'in_doubt'))).toBe(0);
    expect(dispatchesAfter(true, failed('EXECUTION_ERROR', 'unknown', 'in_doubt'))).toBe(3);
  });
});
