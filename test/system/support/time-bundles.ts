/** Sample bundles of turns that wait: for a call that ends later, and until a time. For make-bundles.ts. */
import type { Agent } from '../../../src/agents/agent';
import { waitUntil } from '../../../src/agents/wait-until';
import { Bank, completed, isPending, settledOn, transfer } from '../../engine/support/bank';
import { eventually } from '../../engine/support/engine';
import { ask, say, type Answer } from '../../support/scripted-model';
import { agent, ended, type Scenario } from './bundle-scenario';

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
};
