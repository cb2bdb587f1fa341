/** Facts of decisions that are recorded twice, changed in one place. The second verifier: test/system/audit/verify/decision-facts.test.ts. */
import { verifyBundle } from '../../../../src/audit/verify';
import { DECISION_FORGERIES, decisionForgery } from '../../../support/audit/decision-forgeries';
import { TRUST } from '../../../support/bundle-keys';

describe('a fact of a decision, changed in one place, is found', () => {
  test.each(DECISION_FORGERIES)('$name', async (forgery) => {
    const found = await verifyBundle([await decisionForgery(forgery)], TRUST);
    expect(found).toMatchObject({ verdict: 'broken', rule: forgery.rule });
  });
});
