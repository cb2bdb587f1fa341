/** Receipts behind a bundle's trailer: what they prove, and that a stolen bundle key cannot get round them. */
import { verifyBundle } from '../../../../src/audit/verify';
import { describeVerification } from '../../../../src/audit/verify/sentence';
import { forMachines } from '../../../../src/audit/verify/verification';
import { signHead } from '../../../../src/witness/tree-head';
import { EMPTY_TREE } from '../../../../src/witness/merkle';
import type { WitnessReceipt } from '../../../../src/witness/receipt';
import { sample, STRANGER_KEY, TRUST } from '../../../support/bundle-keys';
import { forged } from '../../../support/audit/forge';
import { FORGERIES } from '../../../support/audit/forgeries';
import {
  DEMANDING_TRUST,
  movedReceipts,
  receiptFor,
  WITNESS,
  WITNESS_KEY,
  WITNESS_TRUST,
  WITNESSED_AT,
  withReceipt,
} from '../../../support/audit/receipts';
import { everyNth } from '../../../support/runs';
import { rewritten } from '../../../support/rewrite-bundle';

const judge = (text: string, trust = WITNESS_TRUST, options = {}) => verifyBundle([Buffer.from(text)], trust, options);
const receiptLine = (text: string) => text.trimEnd().split('\n').length - 1;

describe('a receipt that holds', () => {
  test('says when the bundle existed, and by whom', async () => {
    const found = await judge(withReceipt(await sample('approval')));
    const receipt = { by: 'witness', kid: WITNESS_KEY.kid, at: WITNESSED_AT, state: 'holds' };
    expect(found).toMatchObject({ verdict: 'intact', receipts: [receipt], not_before: null });
    expect(describeVerification(found)).toContain(`Not newer than ${WITNESSED_AT}, by witness ${WITNESS_KEY.kid}.`);
    expect(forMachines(found)).toMatchObject({ receipts: [receipt] });
  });

  test.each(['spoken', 'reset', 'session'])('can stand behind each version of a bundle: %s', async (name) => {
    expect(await judge(withReceipt(await sample(name)), DEMANDING_TRUST)).toMatchObject({ verdict: 'intact' });
  });

  test('of a witness that nobody trusts proves nothing, and says so', async () => {
    const text = withReceipt(await sample('approval'));
    for (const trust of [TRUST, [...TRUST, { ...WITNESS, revoked_at: WITNESSED_AT }]]) {
      const found = await judge(text, trust);
      expect(found).toMatchObject({ verdict: 'intact', receipts: [{ state: 'unknown signer' }] });
      expect(describeVerification(found)).toContain('1 receipt is of nobody that you trust.');
    }
  });

  test.each([
    ['begins after it', { created_at: '2027-01-01T00:02:00.000Z' }],
    ['had ended before it', { expires_at: '2026-12-31T00:00:00.000Z' }],
    ['is that of bundles', { use: 'bundle' as const }],
  ])('does not count if the key %s', async (_name, facts) => {
    const trust = [...TRUST, { ...WITNESS, ...facts }];
    expect((await judge(withReceipt(await sample('approval')), trust)).receipts).toMatchObject([{ state: 'unknown signer' }]);
  });
});

test.each(['witness', 'timestamp'] as const)('a key that signs receipts (%s) signs no bundle and no decision', async (use) => {
  const bundle = await sample('approval');
  for (const key of TRUST) {
    const others = TRUST.filter((one) => one !== key);
    expect(await judge(bundle, [...others, { ...key, use }])).toEqual({
      ...(await judge(bundle, others)),
      why: expect.any(String),
    });
  }
});

describe('a bundle that contains a tree head', () => {
  const HEAD = signHead(WITNESS_KEY, { size: 0, tree: EMPTY_TREE, at: '2026-06-01T00:00:00.000Z' });
  const made = async (head: unknown) =>
    rewritten(await sample('approval'), ({ kind, body }) =>
      kind === 'bundle' ? { ...body, made_by: { ...body.made_by, witness_head: head } } : body,
    );

  test('is not older than it', async () => {
    const found = await judge(withReceipt(await made(HEAD)));
    expect(found).toMatchObject({ verdict: 'intact', not_before: { at: HEAD.at, by: WITNESS_KEY.kid } });
    expect(describeVerification(found).join(' ')).toContain(`Not older than ${HEAD.at}, by witness ${WITNESS_KEY.kid}`);
  });

  test('proves nothing if the head is changed, or of another key', async () => {
    const other = signHead(STRANGER_KEY, { size: 0, tree: EMPTY_TREE, at: HEAD.at });
    for (const head of [{ ...HEAD, at: '2026-07-01T00:00:00.000Z' }, { ...HEAD, more: 1 }, other, 'none', null])
      expect(await judge(await made(head))).toMatchObject({ verdict: 'intact', not_before: null });
  });

  test('has no earlier receipt of the same witness', async () => {
    const text = withReceipt(await made(HEAD), (about) => [receiptFor(about, '2026-05-01T00:00:00.000Z')]);
    expect(await judge(text)).toMatchObject({ verdict: 'broken', rule: 'S8', line: receiptLine(text) });
  });
});

describe('a receipt that does not hold breaks the bundle at its line', () => {
  const changes: [name: string, change: (receipt: WitnessReceipt) => unknown][] = [
    ['of another time', (it) => ({ ...it, at: '2026-06-01T00:00:00.000Z' })],
    ['of a time after its head', (it) => ({ ...it, at: '2027-01-02T00:00:00.000Z' })],
    ['of no time', (it) => ({ ...it, at: 'yesterday' })],
    ['at another place', (it) => ({ ...it, index: 3 })],
    ['behind the end of the log', (it) => ({ ...it, index: 7 })],
    ['with a proof cut short', (it) => ({ ...it, proof: it.proof.slice(1) })],
    ['with a longer proof', (it) => ({ ...it, proof: [...it.proof, it.proof[0]!] })],
    ['of another log', (it) => ({ ...it, head: signHead(WITNESS_KEY, { size: 7, tree: 'e'.repeat(64), at: it.at }) })],
    ['whose head was signed anew by hand', (it) => ({ ...it, head: { ...it.head, size: 8 } })],
    ['whose head names another key', (it) => ({ ...it, head: { ...it.head, public: STRANGER_KEY.public } })],
  ];
  test.each(changes)('%s', async (_name, change) => {
    const text = withReceipt(await sample('approval'), (about) => [change(receiptFor(about)) as WitnessReceipt]);
    expect(await judge(text)).toMatchObject({ verdict: 'broken', line: receiptLine(text), rule: 'S8', receipts: [] });
  });

  test.each([
    ['a field more', (it: WitnessReceipt) => ({ ...it, more: 1 })],
    ['a proof of other things', (it: WitnessReceipt) => ({ ...it, proof: ['x'] })],
    ['too long a proof', (it: WitnessReceipt) => ({ ...it, proof: Array.from({ length: 65 }, () => 'e'.repeat(64)) })],
    ['a kind that there is not', () => ({ by: 'notary' })],
    ['a timestamp without its answer', () => ({ by: 'timestamp' })],
  ])('%s (S3)', async (_name, change) => {
    const text = withReceipt(await sample('approval'), (about) => [change(receiptFor(about)) as WitnessReceipt]);
    expect(await judge(text)).toMatchObject({ verdict: 'broken', line: receiptLine(text), rule: 'S3' });
  });

  test('each byte of its line counts', async () => {
    const text = withReceipt(await sample('approval'));
    const from = text.lastIndexOf('\n', text.length - 2) + 1;
    for (let at = from; at < text.length; at += 7) {
      const bytes = Buffer.from(text);
      bytes[at]! ^= 1;
      expect([at, (await verifyBundle([bytes], WITNESS_TRUST)).verdict]).toEqual([at, 'broken']);
    }
  });

  test('only receipts stand behind a trailer, and they behind nothing else', async () => {
    const bundle = await sample('approval');
    const twice = withReceipt(bundle, (about) => [receiptFor(about), receiptFor(about)]);
    expect((await judge(twice)).receipts).toHaveLength(2);
    const lines = withReceipt(bundle).trimEnd().split('\n');
    const again = `${[...lines, lines.at(-2)].join('\n')}\n`;
    expect(await judge(again)).toMatchObject({ verdict: 'broken', line: lines.length, rule: 'S2' });
    expect(await judge(`${lines.join('\n')}`)).toMatchObject({ verdict: 'broken', line: lines.length - 1, rule: 'S7' });
  });
});

describe('a receipt that is demanded', () => {
  test('and is not there: not intact, by the trust file or by the flag', async () => {
    const bundle = await sample('approval');
    const missing = { verdict: 'unwitnessed', line: null, receipts: [] };
    expect(await judge(bundle, DEMANDING_TRUST)).toMatchObject(missing);
    const found = await judge(bundle, WITNESS_TRUST, { requireReceipt: true });
    expect(found).toMatchObject(missing);
    expect(describeVerification(found)[0]).toMatch(
      /^not witnessed, consistent since signing by [0-9a-f]{16}: a receipt is demanded/,
    );
    expect(await judge(withReceipt(bundle), DEMANDING_TRUST, { requireReceipt: true })).toMatchObject({ verdict: 'intact' });
  });

  test('and is of somebody else: not intact', async () => {
    const text = withReceipt(await sample('approval'), (about) => [receiptFor(about, WITNESSED_AT, STRANGER_KEY)]);
    expect(await judge(text, DEMANDING_TRUST)).toMatchObject({ verdict: 'unwitnessed', receipts: [{ state: 'unknown signer' }] });
  });

  test('an unknown signer is said first', async () => {
    const text = rewritten(await sample('approval'), ({ body }) => body, STRANGER_KEY);
    expect(await judge(text, DEMANDING_TRUST)).toMatchObject({ verdict: 'signer_unknown' });
  });
});

describe('with a stolen bundle key nothing is intact behind a receipt', () => {
  test.each(everyNth(FORGERIES, 40))('$name, with the receipt of the true bundle', async ({ make }) => {
    const text = movedReceipts(withReceipt(await sample('approval')), (await make()).bytes.toString());
    expect(await judge(text)).toMatchObject({ verdict: 'broken', rule: expect.stringMatching(/^S[1-8]$/) as string });
  });

  test('a bundle that contradicts nothing: the same sources, another time of making', async () => {
    const bundle = await sample('approval');
    const later = forged(bundle, (lines) => void (lines[0]!.body.made_by.node = 'v99.0.0')).text;
    expect(await judge(later)).toMatchObject({ verdict: 'intact' });
    const receipts = withReceipt(bundle);
    expect(await judge(movedReceipts(receipts, later), DEMANDING_TRUST)).toMatchObject({ verdict: 'broken', rule: 'S8' });
    expect(await judge(later, DEMANDING_TRUST)).toMatchObject({ verdict: 'unwitnessed' });
  });

  test('another trailer over the same lines: the chain of bundles cannot be bent', async () => {
    const bundle = await sample('approval');
    const previous = { root: 'e'.repeat(64), subject: 'turn/other' };
    const bent = rewritten(bundle, ({ kind, body }) => (kind === 'end' ? { ...body, previous } : body));
    expect(await judge(movedReceipts(withReceipt(bundle), bent))).toMatchObject({ verdict: 'broken', rule: 'S8' });
  });
});
