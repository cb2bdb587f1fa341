/** Somebody writes into Temporal's database, and nowhere else: the genuine gateway then exports and signs what it finds there. */
import { verifyBundle, type Verification } from '../../../src/audit/verify';
import { describeVerification } from '../../../src/audit/verify/sentence';
import { judgedByPython } from '../audit/support/python';
import { bundleOf } from '../../support/bundle-of';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { withEngine } from '../../engine/support/engine';
import { rewritten } from '../../engine/support/rewritten-history';
import { pythonVerifier } from '../support/python-verifier';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const python = pythonVerifier();

describe('a person who can write to Temporal’s database cannot', () => {
  it.each([
    ['an activity', /^\{[^[]*"effect":"applied"[^[]*\}$/],
    ['the turn’s result', /"calls":\[/],
  ])('make %s say that a payment was not made: the bundle is signed as contradictory', async (_source, where) => {
    await withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('Paid.')] }, async (engine) => {
      const { start, client, store } = engine;
      const turn = await start('Pay INV-7.', { requester: 'rita' });
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      await turn.result();
      const undo = rewritten(client.temporal.connection, where, '"effect":"applied"', '"effect":"not_applied"');
      const text = await bundleOf(client.temporal, store, turn.id, BUNDLE_KEY).finally(undo);

      expect(text).toContain('"state":"applied"'); // the effect record
      const end = JSON.parse(text.trimEnd().split('\n').at(-1)!) as { body: Record<string, unknown> };
      expect(end.body.contradiction).toEqual({ line: expect.any(Number), rule: expect.stringMatching(/^[HBTD]\d/) });
      const found: Verification = await verifyBundle([Buffer.from(text)], TRUST);
      expect(found).toMatchObject({ verdict: 'contradictory', signed_by: BUNDLE_KEY.kid, ...end.body.contradiction! });
      expect(describeVerification(found)[0]).toMatch(/^contradictory at line \d+ \([A-Z]\d+\): .*signed as contradictory by/);
      if (python === null) return;
      const [theirs] = await judgedByPython(python, [{ name: 'changed', bytes: Buffer.from(text) }]);
      expect(theirs).toMatchObject({ verdict: 'contradictory', ...end.body.contradiction! });
    });
  });
});
