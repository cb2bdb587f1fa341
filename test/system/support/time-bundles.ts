/** Sample bundles of turns that wait: for a call that ends later, and until a time. For make-bundles.ts. */
import { randomUUID } from 'node:crypto';
import type { Agent } from '../../../src/agents/agent';
import { defineApp } from '../../../src/agents/define';
import { waitUntil } from '../../../src/agents/wait-until';
import { allowed, Bank, completed, isPending, settledOn, transfer } from '../../engine/support/bank';
import { eventually, withEngine } from '../../engine/support/engine';
import { resetTurn } from '../../engine/support/reset';
import { ask, say, type Answer } from '../../support/scripted-model';
import { agent, ended, invoice, type Scenario } from './bundle-scenario';
import { pays } from '../../support/tools';

const bank = new Bank();

export const TIME_AGENTS: readonly Agent[] = [
  agent('banker', { tools: [bank.tool] }),
  agent('sleeper', { tools: [waitUntil({ longestMs: 86_400_000 })] }),
];
const sleep = (after: string): Answer => ask(['wait_until', { after, reason: 'The transfer settles then.' }]);
export const TIME_SCRIPTS: Record<string, Answer[]> = {
  'Transfer it.': [ask(['transfer', transfer]), say('It is settled.')],
  'Wait for it.': [sleep('1 second'), sleep('1 hour'), say('It is settled.')],
};

export const TIME: Record<string, Scenario> = {
  /** An approved transfer that is pending until the bank completes it. */
  pending: async (engine) => {
    const turn = await engine.start('Transfer it.', { requester: 'rita', agent: 'banker' });
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana' });
    await isPending(turn);
    await completed(engine, bank.token, { result: settledOn });
    return ended(turn);
  },
  /** Two waits: one ends with its time, and a message ends the other early. */
  slept: async ({ start }) => {
    const turn = await start('Wait for it.', { requester: 'rita', agent: 'sleeper' });
    await eventually('the second wait', async () => {
      const { sleep: open, calls } = await turn.status();
      return open && calls.length === 2;
    });
    await turn.steer('It is settled already.', { by: 'mia' });
    return ended(turn);
  },
  /** A transfer that is pending under one version of its tool, and after a deploy and a reset has the digest of the next one. */
  redeployed: async ({ store }) => {
    const taskQueue = `bundles-${randomUUID()}`;
    const script = [ask(['transfer', transfer]), say('It is settled.')];
    const build = (version: string) => {
      const tools = [{ ...new Bank().tool, version }];
      return { app: defineApp({ agents: [agent('banker', { tools, ...allowed })] }), store, taskQueue, script };
    };
    let id = '';
    await withEngine(build('1.0.0'), async ({ start }) => {
      const turn = await start('Transfer it.', { requester: 'rita', agent: 'banker' });
      await isPending(turn);
      id = turn.id;
    });
    await withEngine(build('2.0.0'), async ({ client }) => {
      const turn = client.turn(id);
      await resetTurn(client, turn, { before: 'takeStep' });
      await isPending(turn);
      await turn.cancel();
      const [call] = await turn.waitForPending();
      await turn.settle(call.digest, 'applied', { by: 'ana' });
      await turn.result();
    });
    return { redeployed: { kind: 'turn', id } };
  },
  /** A payment that a rule allows, and one that people approve. After a reset to before the answer the model gives both other ids. */
  taken_over: async ({ store }) => {
    const tools = ['rent', 'wages'].map((name) => pays(name, []));
    const calls = ask(['rent', invoice], ['wages', invoice]).content;
    const script = ['a', 'b'].flatMap((by) => [
      { content: calls.map((use) => ({ ...use, id: `${by}_${String(use.id)}` })) },
      say('Paid.'),
    ]);
    const app = defineApp({ agents: [agent('payroll', { tools, permissions: { allow: ['rent'] } })] });
    let id = '';
    await withEngine({ app, store, script }, async ({ client, start }) => {
      const turn = await start('Pay both.', { requester: 'rita', agent: 'payroll' });
      id = turn.id;
      const [first] = await turn.waitForPending();
      await turn.approve(first.digest, { by: 'ana' });
      await turn.result();
      await resetTurn(client, turn, { before: 'takeStep' });
      const second = await eventually('another question', async () =>
        (await turn.pending()).find(({ digest }) => digest !== first.digest),
      );
      await turn.approve(second.digest, { by: 'bob' });
      await turn.result();
    });
    return { taken_over: { kind: 'turn', id } };
  },
};
