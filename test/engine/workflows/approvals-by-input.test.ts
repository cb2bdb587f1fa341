/** Lists of approval rules: the first entry whose condition holds for the input decides who must approve, or that nobody must. */
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { Approvals } from '../../../src/rules/approvals';
import { eventually, withEngine, type Setup } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const LARGE = { invoice: 'INV-1', cents: 200_000 };
const MIDDLE = { invoice: 'INV-2', cents: 5_000 };
const SMALL = { invoice: 'INV-3', cents: 500 };
const BY_AMOUNT: Approvals = {
  tools: {
    pay: [{ when: 'input.cents > 100000', quorum: 2, roles: ['treasurer'] }, { when: 'input.cents > 1000' }, { allow: true }],
  },
};
/** The digests of the calls that wait; of this many, if that is given. */
const waiting = (turn: TurnHandle, count?: number): Promise<string[]> =>
  eventually('the calls wait', async () => {
    const digests = (await turn.status()).calls.flatMap(({ state, digest }) => (state === 'waiting' ? [digest!] : []));
    return (count === undefined || digests.length === count) && digests;
  });
/** Fails for every call. */
const FAILS = 'input.cents + 9223372036854775807 > 0';

describe('approval rules by input', () => {
  let signers: Signers;
  beforeAll(() => void (signers = new Signers()));
  afterAll(() => signers.remove());
  const attested = async (): Promise<Partial<Setup>> => ({
    settings: { approvals: 'attested', trust: signers.trust },
    signingKey: await signers.file(signers.gateway),
  });

  it('ask two treasurers for a large payment, one person for a middle one, and nobody for a small one', async () => {
    const effects: unknown[] = [];
    const script = [ask(['pay', LARGE], ['pay', MIDDLE], ['pay', SMALL]), say('done')];
    const setup = { tools: [pays('pay', effects)], agent: { approvals: BY_AMOUNT }, script, ...(await attested()) };
    await withEngine(setup, async ({ start }) => {
      const turn = await start('Pay them.', { requester: 'rita' });
      const [large, middle] = await waiting(turn, 2);
      const { calls } = await turn.status();
      expect(calls.map(({ approval }) => [approval.required, approval.quorum])).toEqual([
        [true, 2],
        [true, 1],
        [false, 1],
      ]);
      expect((await turn.cards()).get(large!)).toContain('entry 1 of the approval rules applies: input.cents > 100000');
      const signed = (digest: string, by: string, roles: string[] = []) => signers.signed(turn, digest, by, { roles });
      await expect(turn.approve(large!, { attestation: await signed(large!, 'ana') })).rejects.toThrow(
        'none of the roles treasurer',
      );
      await turn.approve(large!, { attestation: await signed(large!, 'ana', ['treasurer']) });
      await turn.approve(middle!, { attestation: await signed(middle!, 'ana') });
      expect(effects).toEqual([]);
      await turn.approve(large!, { attestation: await signed(large!, 'ben', ['treasurer']) });
      expect((await turn.result()).calls.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded']);
      expect(effects).toEqual([LARGE, MIDDLE, SMALL]);
    });
  });

  it('ask under the strictest entry if a condition fails, and under the common rule if no entry fits', async () => {
    const tools: Approvals['tools'] = {
      pay: [
        { when: FAILS, allow: true },
        { when: 'input.cents > 100000', quorum: 3 },
      ],
      refund: [{ when: 'input.cents > 100000', quorum: 3 }],
    };
    const script = [ask(['pay', SMALL], ['refund', SMALL]), say('done')];
    const setup = { tools: [pays('pay', []), pays('refund', [])], agent: { approvals: { quorum: 2, tools } }, script };
    await withEngine(setup, async ({ start }) => {
      const turn = await start();
      await waiting(turn, 2);
      const { calls } = await turn.status();
      expect(calls.map(({ approval }) => [approval.required, approval.quorum])).toEqual([
        [true, 3],
        [true, 2],
      ]);
      for (const by of ['ana', 'ben', 'cid']) await turn.approve(calls[0]!.digest!, { by });
      for (const by of ['ana', 'ben']) await turn.approve(calls[1]!.digest!, { by });
      await turn.result();
    });
  });

  it('judge an edited input anew, and ask about it also if an entry would allow it', async () => {
    const effects: unknown[] = [];
    const script = [ask(['pay', SMALL], ['pay', LARGE]), say('done')];
    const ask1 = [
      { when: 'input.cents > 100000', quorum: 2 },
      { when: 'input.cents > 600', allow: true as const },
    ];
    const setup = { tools: [pays('pay', effects)], agent: { approvals: { tools: { pay: ask1 } } }, script };
    await withEngine(setup, async ({ start }) => {
      const turn = await start();
      const [small, large] = await waiting(turn, 2);
      await turn.approve(small!, { by: 'ana', input: { ...SMALL, cents: 150_000 } });
      await turn.approve(large!, { by: 'ana', input: { ...LARGE, cents: 5_000 } });
      const { calls } = await turn.status();
      expect(
        calls
          .filter(({ state }) => state === 'waiting')
          .map(({ approval }) => approval.quorum)
          .sort(),
      ).toEqual([1, 2]);
      for (const by of ['ben', 'cid']) for (const digest of await waiting(turn)) await turn.approve(digest, { by });
      await turn.result();
      expect(effects).toEqual([
        { ...SMALL, cents: 150_000 },
        { ...LARGE, cents: 5_000 },
      ]);
    });
  });

  it('decide for a direct call too, and leave what a permission rule denies or asks', async () => {
    const effects: unknown[] = [];
    const agent: Setup['agent'] = {
      approvals: BY_AMOUNT,
      permissions: { ask: [{ rule: 'pay', when: 'input.invoice == "ASK"' }], deny: [{ rule: 'pay', when: 'input.cents == 13' }] },
    };
    await withEngine({ tools: [pays('pay', effects)], agent }, async ({ call }) => {
      expect((await (await call('pay', SMALL)).result()).success).toBe(true);
      expect(effects).toEqual([SMALL]);
      const denied = await (await call('pay', { invoice: 'i', cents: 13 })).result();
      expect(denied).toMatchObject({ success: false, error: { reason: 'denied_by_rule' } });
      const asked = await call('pay', { invoice: 'ASK', cents: 5 });
      const [digest] = await waiting(asked.turn, 1);
      await asked.turn.approve(digest!, { by: 'ana' });
      expect((await asked.result()).success).toBe(true);
      expect(effects).toHaveLength(2);
    });
  });
});
