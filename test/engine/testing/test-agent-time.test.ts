/** `testAgent` on the time-skipping server. */
import { defineAgent } from '../../../src/agents/define';
import { ask, say } from '../../../src/testing';
import type { AgentTest, TestTurn } from '../../../src/testing/agent/test-agent';
import { allowed, Bank, isPending, settledOn, transfer } from '../support/bank';
import { quietRuntime } from '../support/engine';
import { JARS } from '../support/time-server';
import { DAY, during, PAY, payables } from './payables';

process.env.HOLDFAST_TIME_SERVER = process.env[JARS];
beforeAll(quietRuntime);
const where = process.env[JARS] ? it : it.skip;

where('three days pass at once: the approval expires (needs the time-skipping server)', async () => {
  const paid: string[] = [];
  await during(payables(paid), { script: [PAY, say('Nobody decided.')] }, async (test) => {
    const before = Date.now();
    const turn = await test.start('Pay INV-7.');
    await turn.waitForPending();
    await turn.skip('3 days');
    expect(Date.now() - before).toBeGreaterThan(3 * DAY - 60_000);
    expect((await turn.result()).calls).toMatchObject([{ state: 'expired', effect: 'refused' }]);
  });
  expect(paid).toEqual([]);
});

describe('a transfer that settles in three days (needs the time-skipping server)', () => {
  const run = (body: (on: { test: AgentTest; turn: TestTurn; bank: Bank }) => Promise<void>, expiresMs = 5 * DAY) => {
    const bank = new Bank({ expiresMs });
    const payer = defineAgent({ name: 'payer', prompt: 'Pay.', tools: [bank.tool], ...allowed });
    return during(payer, { script: [ask(['transfer', transfer]), say('done')] }, async (test) => {
      const turn = await test.start('Transfer it.');
      await isPending(turn);
      await body({ test, turn, bank });
      expect(bank.orders).toHaveLength(1);
    });
  };

  where('ends when the bank says so', () =>
    run(async ({ test, turn, bank }) => {
      await turn.skip('3 days');
      await test.complete(bank.orders[0]!.url, { result: settledOn });
      expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
    }),
  );

  where('is in doubt if the bank says nothing for five days, and what it says afterwards changes nothing', () =>
    run(async ({ test, turn, bank }) => {
      await turn.skip('6 days');
      const [call] = await turn.waitForPending();
      await expect(test.complete(bank.token, { result: settledOn })).rejects.toThrow(/Not accepted/);
      await turn.settle(call.digest, 'not_applied', { by: 'ana' });
      expect((await turn.result()).calls).toMatchObject([{ state: 'failed', effect: 'not_applied' }]);
    }),
  );
});
