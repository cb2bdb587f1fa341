/** Escalation: people with further roles may approve once a call has waited for a time, and are told then. */
import type { NotifyInput } from '../../../src/shared/io/activities';
import { eventually, withEngine, type Setup } from '../support/engine';
import { TestTime } from '../support/time-server';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const time = new TestTime();
const invoice = { invoice: 'INV-7', cents: 700 };
const PATIENCE = 240_000;

describe('a call that waits long', () => {
  let signers: Signers;
  beforeAll(() => void (signers = new Signers()));
  afterAll(() => signers.remove());

  it(
    'may be approved by people with further roles from a time on, who are told then; before it they do not count',
    async () => {
      const effects: unknown[] = [];
      const told: string[] = [];
      const notifier = { tell: async ({ kind }: NotifyInput) => void told.push(kind) };
      const afterMs = time.either('4 hours', 8000);
      const approvals = { roles: ['treasurer'], quorum: 2, escalate: [{ afterMs, roles: ['cfo'] }] };
      const setup: Setup = {
        time,
        tools: [pays('pay', effects)],
        agent: { approvals, approvalExpiryMs: 24 * 3_600_000 },
        script: [ask(['pay', invoice]), say('done')],
        settings: { approvals: 'attested', trust: signers.trust, notifier },
        signingKey: await signers.file(signers.gateway),
      };
      await withEngine(setup, async ({ start }) => {
        const turn = await start('Pay it.', { requester: 'rita' });
        const [{ digest }] = await turn.waitForPending();
        const askedMs = Date.now();
        const signed = async (by: string, role: string) => ({
          attestation: await signers.signed(turn, digest, by, { roles: [role] }),
        });
        const card = (await turn.cards()).get(digest)!;
        const [, from] = /from (\S+) on may approve too: `cfo`/.exec(card) ?? [];
        expect(Math.abs(Date.parse(from!) - askedMs - afterMs)).toBeLessThan(10_000);
        await turn.approve(digest, await signed('ana', 'treasurer'));
        await expect(turn.approve(digest, await signed('kim', 'cfo'))).rejects.toThrow(
          `the roles cfo may decide from ${from} on`,
        );
        await eventually('people are told', async () => told.length > 0);
        expect(told).toEqual(['approval']);

        await time.skip(afterMs + 1000);
        await eventually('people are told', async () => told.length === 2);
        expect(told).toEqual(['approval', 'escalated']);
        await expect(turn.approve(digest, await signed('lee', 'clerk'))).rejects.toThrow('none of the roles treasurer, cfo');
        expect(effects).toEqual([]);
        await turn.approve(digest, await signed('kim', 'cfo'));
        expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', approval: { by: ['ana', 'kim'] } }]);
        expect(effects).toEqual([invoice]);
      });
    },
    PATIENCE,
  );

  it('shows the times of its escalation on its card', async () => {
    const approvals = { roles: ['treasurer'], escalate: [{ afterMs: 60_000, roles: ['cfo'] }] };
    const tools = [pays('pay', [])];
    await withEngine({ tools, agent: { approvals }, script: [ask(['pay', invoice]), say('done')] }, async ({ start }) => {
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      const { questions } = await turn.waiting();
      expect(questions.map(({ card }) => card.policy)).toMatchObject([
        { roles: ['treasurer'], escalations: [{ roles: ['cfo'] }] },
      ]);
      await turn.approve(digest, { by: 'ana' });
      await turn.result();
    });
  });
});
