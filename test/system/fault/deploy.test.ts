/**
 * A deploy while payments wait: the old build is gone for good, and the next one differs. Each row states beforehand the
 * outcome of two payments: one that a person had approved and that had not run yet, and one that nobody had decided on.
 * Payments are counted by the test's own server.
 */
import { eventually, testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { shownCard } from '../../support/card';
import { BUILDS, OLD, paid, signalApproval, startBuild, startPayment, type Build, type Payment } from '../support/fault-builds';
import { openStage, type Stage } from '../support/fault-stage';
import { Signers } from '../../support/signers';

jest.setTimeout(300_000);

/** What the new build has, by the agent of the row that asks for it; the old one has OLD for each. */
const NEW: Record<string, Build> = {
  same: { pays: [...OLD.pays] },
  beside: { pays: [...OLD.pays, { version: '2.0.0', amount: 'euros' }] },
  newer: { pays: [{ version: '2.0.0', amount: 'euros' }] },
  renamed: { pays: [{ version: '1.2.0', amount: 'euros' }] },
  filled: { pays: [{ version: '1.2.0', amount: 'cents', defaults: { currency: 'XTS' } }] },
  gone: { pays: [] },
  denied: { ...OLD, denies: true },
  quorum: { ...OLD, quorum: 2 },
  signed: OLD,
  said: { pays: [{ ...OLD.pays[0]!, says: 'Pay at once' }] },
};

describe('a deploy while one payment is approved, and another waits', () => {
  let stage: Stage;
  const payments: Record<string, [Payment, Payment]> = {};

  /** Leaves two payments of each row behind, all admitted by the old build, and starts the new one. */
  beforeAll(async () => {
    stage = await openStage(testAddress(), BUILDS);
    const rows = Object.keys(NEW);
    const old = await startBuild(stage, Object.fromEntries(rows.map((row) => [row, OLD])));
    const held = rows.map((row) => stage.gates.close(`read look_up ${row}_approved`));
    const begin = (row: string, which: string) => startPayment(stage, row, `${row}_${which}`);
    for (const row of rows) payments[row] = await Promise.all([begin(row, 'approved'), begin(row, 'waiting')]);
    await Promise.all(held.map((gate) => gate.reached()));
    for (const [{ turn, digest }] of Object.values(payments)) {
      await turn.approve(digest, { by: 'ana' });
      expect((await turn.status()).calls.at(-1)).toMatchObject({ digest, state: 'approved' });
    }
    await old.stop();
    stage.gates.close('read look_up signed_approved'); // another build is to go on with it
    await startBuild(stage, NEW);
    held.forEach((gate) => gate.open());
  });

  afterAll(async () => {
    try {
      const turns = Object.values(payments).flatMap((both) => both.map(({ turn }) => turn));
      await keepForReplay(stage.client.temporal, ...turns);
    } finally {
      await stage.close();
      expect(stage.workers).toHaveLength(3);
    }
  });

  /** The two payments of a row: the new build may go on with both, as somebody approves the one that waits. */
  async function deployed(row: string): Promise<[Payment, Payment]> {
    const both = payments[row]!;
    await signal(both[1], both[1].digest);
    return both;
  }

  const onceEach = (both: Payment[], version = '1.2.0', amount = '700 cents') =>
    Object.fromEntries(both.map(({ name }) => [`pay@${version} ${name} ${amount}`, 1]));

  /** The approved payment has not been made, and somebody is asked again. */
  const askedAgain = ({ turn, digest }: Payment) =>
    eventually('it is asked again', async () => (await turn.pending()).find((call) => call.digest !== digest));

  const signal = (payment: Payment, call: string, by?: string) => signalApproval(stage, payment, call, by);

  const callsOf = async ({ turn }: Payment) => (await turn.result()).calls.filter(({ tool }) => tool !== 'look_up');

  it('pays both as they were approved where nothing of them has changed', async () => {
    const both = await deployed('same');
    for (const payment of both) {
      expect(await callsOf(payment)).toMatchObject([{ digest: payment.digest, state: 'succeeded', effect: 'applied' }]);
    }
    expect(paid(stage, ...both)).toEqual(onceEach(both));
  });

  it('pays both under the version that was approved where the new build keeps it beside its successor', async () => {
    const both = await deployed('beside');
    for (const payment of both)
      expect(await callsOf(payment)).toMatchObject([{ version: '1.2.0', digest: payment.digest, effect: 'applied' }]);
    expect(paid(stage, ...both)).toEqual(onceEach(both));
  });

  it.each([
    ['has a new version of the tool only', 'newer'],
    ['has renamed a field without a new version', 'renamed'],
    ['fills in a field that nobody saw, without a new version', 'filled'],
  ])('pays neither where the new build %s: the model asks anew, and people see what it asks', async (_, row) => {
    const both = await deployed(row);
    const [{ version, amount: unit }] = NEW[row]!.pays as [Build['pays'][number]];
    const amount = unit === 'cents' ? '700 cents' : '7 euros';
    for (const payment of both) {
      const again = await askedAgain(payment);
      expect(paid(stage, payment)).toEqual({});
      expect(await shownCard(stage.client, payment.turn)).toContain(`Pay ${amount}`);
      await signal(payment, payment.digest); // the old approval once more: it is for another call
      await signal(payment, again.digest, 'bob');
      expect(await callsOf(payment)).toMatchObject([
        { digest: payment.digest, state: 'failed', effect: 'not_applied', error: { reason: 'tool_changed' } },
        { digest: again.digest, state: 'succeeded', effect: 'applied', approval: { by: ['bob'] } },
      ]);
    }
    expect(paid(stage, ...both)).toEqual(onceEach(both, version, amount));
  });

  it.each([
    ['has no such tool any more', 'gone', 'tool_changed'],
    ['has a rule now that denies it', 'denied', 'denied_by_rule'],
  ])('pays neither where the new build %s, and says why', async (_, row, reason) => {
    const both = await deployed(row);
    for (const payment of both) {
      const calls = await callsOf(payment);
      expect(calls[0]).toMatchObject({ digest: payment.digest, state: 'failed', effect: 'not_applied', error: { reason } });
      expect(calls.slice(1).every(({ state }) => state === 'rejected')).toBe(true);
    }
    expect(paid(stage, ...both)).toEqual({});
  });

  it('asks two people again where the new build wants two, and one approval from before counts for neither', async () => {
    const both = await deployed('quorum');
    for (const payment of both) {
      const again = await askedAgain(payment);
      expect(again).toMatchObject({ revision: 2, approval: { quorum: 2, decisions: [] } });
      const card = await shownCard(stage.client, payment.turn);
      expect(card).toContain('It is asked again: the rules have changed');
      expect(card).toContain('2 people must approve');
      await signal(payment, payment.digest, 'bob');
      await payment.turn.approve(again.digest, { by: 'ana' });
      expect((await payment.turn.pending())[0]).toMatchObject({ digest: again.digest, state: 'waiting' });
      expect(paid(stage, payment)).toEqual({});
      await payment.turn.approve(again.digest, { by: 'bob' });
      expect(await callsOf(payment)).toMatchObject([
        { digest: payment.digest, state: 'superseded', effect: null },
        { digest: again.digest, state: 'succeeded', effect: 'applied', approval: { by: ['ana', 'bob'] } },
      ]);
    }
    expect(paid(stage, ...both)).toEqual(onceEach(both));
  });

  it('asks again with both previews on the card where the new build describes the call otherwise', async () => {
    const both = await deployed('said');
    for (const payment of both) {
      const again = await askedAgain(payment);
      const card = await shownCard(stage.client, payment.turn);
      for (const text of ['Pay 700 cents', 'Pay at once 700 cents', 'what will happen has changed']) expect(card).toContain(text);
      expect(paid(stage, payment)).toEqual({});
      await payment.turn.approve(again.digest, { by: 'ana' });
      expect((await callsOf(payment)).map(({ state }) => state)).toEqual(['superseded', 'succeeded']);
    }
    expect(paid(stage, ...both)).toEqual(onceEach(both));
  });

  it('asks for a signature where the new build takes signed decisions only', async () => {
    const signers = new Signers();
    try {
      const settings = { HOLDFAST_APPROVALS: 'attested', HOLDFAST_TRUSTED_KEYS: signers.trusted };
      await stage.workers.at(-1)!.stop();
      await startBuild(stage, NEW, settings);
      const both = await deployed('signed');
      for (const payment of both) {
        const again = await askedAgain(payment);
        expect(again.approval).toMatchObject({ channel: 'attested' });
        await expect(payment.turn.approve(again.digest, { by: 'ana' })).rejects.toThrow('signed decisions only');
        await payment.turn.approve(again.digest, { attestation: await signers.signed(payment.turn, again.digest, 'ana') });
        expect((await callsOf(payment)).at(-1)).toMatchObject({
          effect: 'applied',
          approval: { decisions: [{ attested: true }] },
        });
      }
      expect(paid(stage, ...both)).toEqual(onceEach(both));
    } finally {
      signers.remove();
    }
  });
});
