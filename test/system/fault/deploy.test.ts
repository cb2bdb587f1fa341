/**
 * A deploy while payments wait: the old build is gone for good, and the next one is not the same. Each row says beforehand
 * what becomes of two payments: one that a person had approved and that had not run yet, and one that nobody had decided on.
 * Payments are counted by the test's own server.
 */
import { eventually, testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { shownCard } from '../../support/card';
import { BUILDS, OLD, paid, signalApproval, startBuild, startPayment, type Build, type Payment } from '../support/fault-builds';
import { openStage, type Stage } from '../support/fault-stage';
import { Signers } from '../../support/signers';

/** Four worker processes' starts, one after the other. */
jest.setTimeout(600_000);

describe('a deploy while one payment is approved, and another waits', () => {
  let stage: Stage;
  let payments: Payment[];
  beforeEach(async () => {
    stage = await openStage(testAddress(), BUILDS);
    payments = [];
  });
  afterEach(async () => {
    try {
      await keepForReplay(stage.client.temporal, ...payments.map(({ turn }) => turn));
    } finally {
      await stage.close();
    }
  });

  /** Leaves the two of them behind, both admitted by the old build, and starts the new one. */
  async function deploy(build: Build, settings: Record<string, string> = {}): Promise<[Payment, Payment]> {
    const old = await startBuild(stage, OLD);
    const held = stage.gates.close('read look_up approved');
    const [approved, waiting] = await Promise.all([startPayment(stage, 'approved'), startPayment(stage, 'waiting')]);
    payments = [approved, waiting];
    await held.reached();
    await approved.turn.approve(approved.digest, { by: 'ana' });
    expect((await approved.turn.status()).calls.at(-1)).toMatchObject({ tool: 'pay', state: 'approved' });
    await old.stop();
    await startBuild(stage, build, settings);
    held.open();
    return [approved, waiting];
  }

  /** What the approval was for has not been paid, and somebody is asked again. */
  const askedAgain = ({ turn, digest }: Payment) =>
    eventually('it is asked again', async () => (await turn.pending()).find((call) => call.digest !== digest));

  const signal = (payment: Payment, call: string, by?: string) => signalApproval(stage, payment, call, by);

  const callsOf = async ({ turn }: Payment) => (await turn.result()).calls.filter(({ tool }) => tool === 'pay');

  it('pays both as they were approved where nothing of them has changed', async () => {
    const [approved, waiting] = await deploy({ pays: [...OLD.pays] });
    await signal(waiting, waiting.digest);
    for (const payment of [approved, waiting]) {
      expect(await callsOf(payment)).toMatchObject([{ digest: payment.digest, state: 'succeeded', effect: 'applied' }]);
    }
    expect(paid(stage)).toEqual({ 'pay@1.2.0 approved 700 cents': 1, 'pay@1.2.0 waiting 700 cents': 1 });
  });

  it('pays both under the version that was approved where the new build keeps it beside its successor', async () => {
    const kept = { pays: [...OLD.pays, { version: '2.0.0', amount: 'euros' }] };
    const [approved, waiting] = await deploy(kept);
    await signal(waiting, waiting.digest);
    for (const payment of [approved, waiting])
      expect(await callsOf(payment)).toMatchObject([{ version: '1.2.0', digest: payment.digest, effect: 'applied' }]);
    expect(paid(stage)).toEqual({ 'pay@1.2.0 approved 700 cents': 1, 'pay@1.2.0 waiting 700 cents': 1 });
  });

  const changed: [string, Build, string][] = [
    ['has a new version of the tool only', { pays: [{ version: '2.0.0', amount: 'euros' }] }, 'pay@2.0.0'],
    ['has renamed a field without a new version', { pays: [{ version: '1.2.0', amount: 'euros' }] }, 'pay@1.2.0'],
    [
      'fills in a field that nobody saw, without a new version',
      { pays: [{ version: '1.2.0', amount: 'cents', defaults: { currency: 'XTS' } }] },
      'pay@1.2.0',
    ],
  ];
  it.each(changed)(
    'pays neither where the new build %s: the model asks anew, and people see what it asks',
    async (_, build, by) => {
      const [approved, waiting] = await deploy(build);
      await signal(waiting, waiting.digest);
      const amount = build.pays[0]!.amount === 'cents' ? '700 cents' : '7 euros';
      for (const payment of [approved, waiting]) {
        const again = await askedAgain(payment);
        expect(paid(stage)).not.toHaveProperty(`${by} ${payment.name} ${amount}`);
        expect(await shownCard(stage.client, payment.turn)).toContain(`Pay ${amount}`);
        await signal(payment, payment.digest); // the old approval once more: it is for another call
        await signal(payment, again.digest, 'bob');
        expect(await callsOf(payment)).toMatchObject([
          { digest: payment.digest, state: 'failed', effect: 'not_applied', error: { reason: 'tool_changed' } },
          { digest: again.digest, state: 'succeeded', effect: 'applied', approval: { by: ['bob'] } },
        ]);
      }
      expect(paid(stage)).toEqual({ [`${by} approved ${amount}`]: 1, [`${by} waiting ${amount}`]: 1 });
    },
  );

  const gone: [string, Build, string][] = [
    ['has no such tool any more', { pays: [] }, 'tool_changed'],
    ['has a rule now that denies it', { ...OLD, deny: ['pay'] }, 'denied_by_rule'],
  ];
  it.each(gone)('pays neither where the new build %s, and says why', async (_, build, reason) => {
    const [approved, waiting] = await deploy(build);
    await signal(waiting, waiting.digest);
    for (const payment of [approved, waiting]) {
      const calls = await callsOf(payment);
      expect(calls[0]).toMatchObject({ digest: payment.digest, state: 'failed', effect: 'not_applied', error: { reason } });
      expect(calls.slice(1).every(({ state }) => state === 'rejected')).toBe(true);
    }
    expect(paid(stage)).toEqual({});
  });

  it('asks two people again where the new build wants two, and one approval from before counts for neither', async () => {
    const [approved, waiting] = await deploy({ ...OLD, quorum: 2 });
    await signal(waiting, waiting.digest);
    for (const payment of [approved, waiting]) {
      const again = await askedAgain(payment);
      expect(again).toMatchObject({ revision: 2, approval: { quorum: 2, decisions: [] } });
      const card = await shownCard(stage.client, payment.turn);
      expect(card).toContain('It is asked again: the rules have changed');
      expect(card).toContain('2 people must approve');
      await signal(payment, payment.digest, 'bob');
      await payment.turn.approve(again.digest, { by: 'ana' });
      expect((await payment.turn.pending())[0]).toMatchObject({ digest: again.digest, state: 'waiting' });
      expect(paid(stage)).not.toHaveProperty(`pay@1.2.0 ${payment.name} 700 cents`);
      await payment.turn.approve(again.digest, { by: 'bob' });
      expect(await callsOf(payment)).toMatchObject([
        { digest: payment.digest, state: 'superseded', effect: null },
        { digest: again.digest, state: 'succeeded', effect: 'applied', approval: { by: ['ana', 'bob'] } },
      ]);
    }
    expect(paid(stage)).toEqual({ 'pay@1.2.0 approved 700 cents': 1, 'pay@1.2.0 waiting 700 cents': 1 });
  });

  it('asks for a signature where the new build takes signed decisions only', async () => {
    const signers = new Signers();
    try {
      const settings = { HOLDFAST_APPROVALS: 'attested', HOLDFAST_TRUSTED_KEYS: signers.trusted };
      const [approved, waiting] = await deploy(OLD, settings);
      await signal(waiting, waiting.digest);
      for (const payment of [approved, waiting]) {
        const again = await askedAgain(payment);
        expect(again.approval).toMatchObject({ channel: 'attested' });
        await expect(payment.turn.approve(again.digest, { by: 'ana' })).rejects.toThrow('signed decisions only');
        await payment.turn.approve(again.digest, { attestation: await signers.signed(payment.turn, again.digest, 'ana') });
        expect((await callsOf(payment)).at(-1)).toMatchObject({
          effect: 'applied',
          approval: { decisions: [{ attested: true }] },
        });
      }
      expect(paid(stage)).toEqual({ 'pay@1.2.0 approved 700 cents': 1, 'pay@1.2.0 waiting 700 cents': 1 });
    } finally {
      signers.remove();
    }
  });

  it('asks again with both on the card where the new build says otherwise what it will do', async () => {
    const says = { pays: [{ ...OLD.pays[0]!, says: 'Pay at once' }] };
    const [approved, waiting] = await deploy(says);
    await signal(waiting, waiting.digest);
    for (const payment of [approved, waiting]) {
      const again = await askedAgain(payment);
      const card = await shownCard(stage.client, payment.turn);
      for (const text of ['Pay 700 cents', 'Pay at once 700 cents', 'what will happen has changed']) expect(card).toContain(text);
      expect(paid(stage)).not.toHaveProperty(`pay@1.2.0 ${payment.name} 700 cents`);
      await payment.turn.approve(again.digest, { by: 'ana' });
      expect((await callsOf(payment)).map(({ state }) => state)).toEqual(['superseded', 'succeeded']);
    }
    expect(paid(stage)).toEqual({ 'pay@1.2.0 approved 700 cents': 1, 'pay@1.2.0 waiting 700 cents': 1 });
  });
});
