/** `testAgent` as its user has it, on the dev server. On the time-skipping server: test-agent-time.test.ts. */
import { defineAgent, defineApp } from '../../../src/index';
import { ask, say, testAgent } from '../../../src/testing';
import { quietRuntime } from '../support/engine';
import { DAY, during, PAY, payables, paying } from './payables';

beforeAll(quietRuntime);

it('runs the agent by the script: the fake tool answers, the call waits, a person approves, the tool acts once', async () => {
  const paid: string[] = [];
  const script = [ask(['look_up', { invoice: 'INV-7' }]), PAY, say('Paid.')];
  await during(payables(paid), { script, tools: { look_up: async () => ({ cents: 700 }) } }, async (test) => {
    const turn = await test.start('Pay INV-7.');
    const [call] = await turn.waitForPending();
    expect((await turn.cards()).get(call.digest)).toContain('INV-7');
    expect(paid).toEqual([]);
    await turn.approve(call.digest, { by: 'ana' });
    const view = await turn.result();
    expect(view).toMatchObject({ state: 'completed', text: 'Paid.' });
    expect(view.calls).toMatchObject([
      { tool: 'look_up', state: 'succeeded' },
      { tool: 'pay_invoice', state: 'succeeded', effect: 'applied', attempts: 1, approval: { by: ['ana'] } },
    ]);
    expect(paid).toEqual(['INV-7']);
    expect(test.model.requests).toHaveLength(3);
    expect(JSON.stringify(test.model.requests[1]!.messages)).toContain('700');
  });
});

it('decides by the options: who approves, and who denies', async () => {
  const paid: string[] = [];
  await during(payables(paid), { script: [PAY, say('Paid.')], decisions: { pay_invoice: { approve: 'ana' } } }, async (test) => {
    expect(await (await test.start('Pay INV-7.')).result()).toMatchObject({ state: 'completed', text: 'Paid.' });
  });
  expect(paid).toEqual(['INV-7']);
  const decisions = { pay_invoice: { deny: 'ben', note: 'Not this month.' } };
  await during(payables(paid), { script: [PAY, say('It was denied.')], decisions }, async (test) => {
    const view = await (await test.start('Pay INV-7.')).result();
    expect(view.calls).toMatchObject([{ state: 'denied', effect: 'refused' }]);
    expect(JSON.stringify(test.model.requests[1]!.messages)).toContain('Not this month.');
  });
  expect(paid).toEqual(['INV-7']);
});

it('says so when a decision of the options is not accepted', async () => {
  const agent = defineAgent({ name: 'payables', prompt: 'Pay.', tools: [paying([])], approvals: { fourEyes: true } });
  const test = await testAgent(agent, { script: [PAY], decisions: { pay_invoice: { approve: 'ana' } } });
  const turn = await test.start('Pay INV-7.', { requester: 'ana' });
  await expect(turn.result()).rejects.toThrow(/ana/);
  await expect(test.close()).rejects.toThrow(/ana/);
});

it('fails the turn when the script has no answer left', async () => {
  await during(payables([]), { script: [] }, async (test) => {
    const view = await (await test.start('Pay INV-7.')).result();
    expect(view.state).toBe('failed');
    expect(view.reason).toContain('The script is exhausted at request 1');
  });
});

it('refuses a fake of a tool that the app does not have', async () => {
  await expect(testAgent(payables([]), { script: [], tools: { pay_invoce: () => ({}) } })).rejects.toThrow('pay_invoce');
});

it('takes an app, whose models all answer by the script', async () => {
  const agent = defineAgent({ name: 'second', prompt: 'You answer.', tools: [], model: 'opus' });
  const first = defineAgent({ name: 'first', prompt: 'You answer.', tools: [] });
  const app = defineApp({ agents: [first, agent], models: { opus: {} } });
  await during(app, { script: [say('Yes.')] }, async (test) => {
    expect(await (await test.start('Well?', { agent: 'second' })).result()).toMatchObject({ text: 'Yes.' });
  });
});

it('does not skip time on the dev server, and says what is missing', async () => {
  await during(payables([]), { script: [PAY] }, async (test) => {
    const turn = await test.start('Pay INV-7.');
    await expect(turn.skip('3 days')).rejects.toThrow('HOLDFAST_TIME_SERVER');
  });
});

it('counts budgets for each test alone', async () => {
  const budgets = [{ name: 'daily', tools: ['pay_invoice'], per: 'agent' as const, windowMs: DAY, cap: 1 }];
  const paid: string[] = [];
  const agent = defineAgent({ name: 'payables', prompt: 'You pay.', tools: [paying(paid)], budgets });
  for (const _ of [1, 2])
    await during(agent, { script: [PAY, say('Paid.')], decisions: { pay_invoice: { approve: 'ana' } } }, async (test) => {
      expect((await (await test.start('Pay INV-7.')).result()).calls).toMatchObject([{ effect: 'applied' }]);
    });
  expect(paid).toEqual(['INV-7', 'INV-7']);
});
