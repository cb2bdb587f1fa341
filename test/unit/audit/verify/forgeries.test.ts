/** Somebody has stolen the key that signs bundles: his bundles have correct hashes, chains and signatures, and contradict themselves. */
import { verifyBundle } from '../../../../src/audit/verify';
import { sample, STRANGER_KEY, TRUST } from '../../../support/bundle-keys';
import { everyNth } from '../../../support/runs';
import { rewritten } from '../../../support/rewrite-bundle';
import { forged } from '../../../support/audit/forge';
import { FORGERIES } from '../../../support/audit/forgeries';

describe('each forgery is found at its line, by its rule, with its sentence', () => {
  test.each(everyNth(FORGERIES, 4))('$name', async ({ make }) => {
    const { bytes, line, rule, says } = await make();
    const why = expect.stringMatching(says) as string;
    expect(await verifyBundle([bytes], TRUST)).toMatchObject({ verdict: 'broken', line, rule, why });
  });

  test('there are forgeries of all kinds', () => {
    expect(FORGERIES.length).toBeGreaterThanOrEqual(40);
  });
});

test('a bundle that is taken apart and put together again unchanged is intact', async () => {
  for (const name of ['approval', 'quorum', 'reset', 'sub_agent']) {
    const { text } = forged(await sample(name), () => undefined);
    expect(await verifyBundle([Buffer.from(text)], TRUST)).toMatchObject({ verdict: 'intact', why: '' });
  }
});

test('signed again by another key: consistent, and nobody knows who signed', async () => {
  const text = rewritten(await sample('approval'), ({ body }) => body, STRANGER_KEY);
  const found = await verifyBundle([Buffer.from(text)], TRUST);
  expect(found).toMatchObject({ verdict: 'signer_unknown', signed_by: null, line: null });
  expect(found.why).toContain(`${STRANGER_KEY.kid} is not in the trust file`);
});

test('the key of somebody who decides signs no bundle', async () => {
  const trust = TRUST.map((key) => (key.use === 'bundle' ? { ...key, use: 'gateway' as const } : key));
  const found = await verifyBundle([Buffer.from(await sample('approval'))], trust);
  expect(found).toMatchObject({ verdict: 'signer_unknown' });
  expect(found.why).toContain('does not sign bundles');
});

test('a revoked or expired key has signed nothing', async () => {
  const bundle = Buffer.from(await sample('approval'));
  const with_ = (facts: object) => TRUST.map((key) => (key.use === 'bundle' ? { ...key, ...facts } : key));
  expect((await verifyBundle([bundle], with_({ revoked_at: '2030-01-01T00:00:00.000Z' }))).why).toContain('was revoked');
  expect((await verifyBundle([bundle], with_({ expires_at: '2026-02-01T00:00:00.000Z' }))).why).toContain('had expired');
  expect((await verifyBundle([bundle], with_({ created_at: '2030-01-01T00:00:00.000Z' }))).why).toContain('did not exist yet');
});

test('without keys of the people who decide, their signatures are not checked, and the answer says so', async () => {
  const trust = TRUST.filter(({ use }) => use === 'bundle');
  const found = await verifyBundle([Buffer.from(await sample('quorum'))], trust);
  expect(found).toMatchObject({ verdict: 'intact', unchecked_decisions: 5 });
});
