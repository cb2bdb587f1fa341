import type { AdmittedCall, CallOutcome } from '../../../src/shared/io/activities';
import { refuseThird, rememberFailure } from '../../../src/workflows/call/repetition';
import type { TurnData } from '../../../src/workflows/turn/state';

let isNew = true;
jest.mock('@temporalio/workflow', () => ({ patched: () => isNew }));

const call = { input_digest: 'd', tool: 'pay' } as AdmittedCall;

/** The refusal of the third call with one input, after two with this outcome. */
function third(state: string, reason: string | null): string | undefined {
  const data = { failures: {} } as TurnData;
  const outcome = () => ({ state, error: reason === null ? null : { reason }, note: null }) as CallOutcome;
  for (let n = 0; n < 2; n++) rememberFailure(data, call, outcome());
  return refuseThird(data, call)?.reason;
}

describe('a third call with the same input', () => {
  beforeEach(() => (isNew = true));

  it.each([
    ['failed', 'gone'],
    ['failed', 'not_measured'],
    ['rejected', 'bad_input'],
  ])('is refused after two that %s by a fault of their own: %s', (state, reason) =>
    expect(third(state, reason)).toBe('repeated_failure'),
  );

  it.each([
    ['succeeded', null],
    ['denied', 'denied'],
    ['expired', 'expired'],
    ['in_doubt', 'outcome_unknown'],
    ['cancelled', 'turn_cancelled'],
    ['failed', 'not_applied'],
    ['failed', 'attempts_exhausted'],
    ['failed', 'outcome_unknown'],
    ['failed', 'budget_exhausted'],
    ['failed', 'approval_not_genuine'],
    ['failed', 'approval_late'],
    ['failed', 'approval_by_maker'],
    ['failed', 'app_not_loaded'],
    ['failed', 'digest_mismatch'],
  ])('is accepted after two that %s without a fault of the tool: %s', (state, reason) =>
    expect(third(state, reason)).toBeUndefined(),
  );

  it('counts as before in a turn that an older build began', () => {
    isNew = false;
    expect(third('failed', 'approval_late')).toBe('repeated_failure');
    expect(third('denied', 'denied')).toBe('repeated_failure');
  });
});
