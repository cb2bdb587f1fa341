/** However a turn begins, it is bound to its store, and so to digests of version 2: those of version 1 cover no agent, no target and no store. */
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import { children, withAgents } from '../support/sub-agents';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

it('a turn, a session’s turn, a direct call and a sub-agent’s turn name their store', async () => {
  const pay = ask(['pay', { invoice: 'INV-7', cents: 700 }]);
  const clerk = defineAgent({ name: 'clerk', prompt: 'Pay.', tools: [pays('pay', [])] });
  const asksClerk = agentTool(clerk, { description: 'Asks the clerk.' });
  const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools: [pays('pay', []), asksClerk] });
  const scripts = {
    'Pay.': [pay, say('done')],
    'Ask.': [ask(['clerk', { task: 'Pay below.' }]), say('done')],
    'Pay below.': [pay, say('done')],
  };
  await withAgents([lead], scripts, async ({ start, client, store }) => {
    const session = await client.openSession({ agent: 'lead', requester: 'rita' });
    const { turn_id } = await session.send('Pay.');
    const call = await client.call({ tool: 'pay', agent: 'lead', input: { invoice: 'INV-8', cents: 800 }, requester: 'rita' });
    const above = await start('Ask.');
    const [below] = await children(client, above);
    for (const turn of [await start('Pay.'), await session.started(turn_id), call.turn, below!]) {
      const [{ digest }] = await turn.waitForPending();
      expect([turn.id, (await turn.status()).store_id]).toEqual([turn.id, store.identity.id]);
      await turn.deny(digest, { by: 'ana' });
      await turn.result();
    }
    await above.result();
    await session.close({ by: 'rita' });
  });
});
