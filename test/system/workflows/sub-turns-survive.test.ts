/** Sub-agents whose parents go on in another run or are reset; and somebody else who uses their names. */
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import { startDevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { eventually } from '../../engine/support/engine';
import { ask, results, say } from '../../support/scripted-model';
import { children, withAgents } from '../../engine/support/sub-agents';
import { resetBefore } from '../support/temporal-cli';
import { pays, reads } from '../../support/tools';

const invoice = { invoice: 'A', cents: 1 };
const payer = (effects: unknown[], more = {}) =>
  defineAgent({ name: 'worker', prompt: 'Pay.', tools: [pays('pay', effects)], ...more });
const lead = (worker: ReturnType<typeof payer>, more: object[] = []) =>
  defineAgent({ name: 'lead', prompt: 'Lead.', tools: [agentTool(worker, { description: 'Pays.' }), ...(more as never[])] });

describe('a parent that goes on in another run', () => {
  it('while two sub-agents wait keeps both: their questions, their reservations, and their answers', async () => {
    const { path } = await findTemporalCli();
    const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 60 };
    const server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
    const effects: unknown[] = [];
    const scripts = {
      'Lead.': [ask(['worker', { task: 'One.' }], ['worker', { task: 'Two.' }]), say('both')],
      'One.': [ask(['pay', invoice]), say('one')],
      'Two.': [ask(['pay', { invoice: 'B', cents: 2 }]), say('two')],
    };
    try {
      await withAgents(
        [lead(payer(effects))],
        scripts,
        async ({ start, client, requests }) => {
          const turn = await start();
          const waiting = await eventually('both wait', async () => {
            const all = await turn.pending();
            return all.length === 2 && all;
          });
          const { run_id: first } = await turn.status();
          const handle = client.temporal.workflow.getHandle(turn.workflowId);
          for (let n = 0; n < 70; n++) await handle.signal('junk', { n });
          await eventually('another run', async () => (await turn.status()).run_id !== first);
          const again = await eventually('both wait in it', async () => {
            const all = await turn.pending();
            return all.length === 2 && all;
          });
          expect(again.map(({ digest }) => digest)).toEqual(waiting.map(({ digest }) => digest));
          // On a busy machine it may go on in one more run, and asks nobody meanwhile.
          const cards = await eventually('both have cards', async () => {
            const all = await turn.cards();
            return all.size === 2 && all;
          });
          expect([...cards.keys()]).toEqual(again.map(({ digest }) => digest));
          for (const { digest } of again) await turn.approve(digest, { by: 'ana' });
          const view = await turn.result();
          expect(view).toMatchObject({ state: 'completed', text: 'both' });
          expect(effects).toHaveLength(2);
          expect(results(requests.get('Lead.')![1]!).map(({ body }) => body.data.answer)).toEqual(['one', 'two']);
          expect(view.usage.input_tokens).toBe(600);
        },
        { address: server.address },
      );
    } finally {
      await server.stop();
    }
  });
});

describe('a parent that is reset', () => {
  it('to before its sub-agent was asked takes over that sub-agent’s work, and repeats nothing', async () => {
    const effects: unknown[] = [];
    const worker = payer(effects, { permissions: { allow: ['pay'] } });
    const scripts = { 'Lead.': [ask(['worker', { task: 'Pay.' }]), say('paid')], 'Pay.': [ask(['pay', invoice]), say('done')] };
    await withAgents([lead(worker)], scripts, async ({ start, client, requests }) => {
      const turn = await start();
      const before = await turn.result();
      await resetBefore(client, turn, 'openSubTurn');
      const after = await turn.result();
      expect(after.run_id).not.toBe(before.run_id);
      expect(after).toMatchObject({ state: 'completed', sub_turns: [{ turn_id: `${turn.id}~1.1`, state: 'completed' }] });
      expect(effects).toEqual([invoice]);
      expect(requests.get('Pay.')).toHaveLength(2);
      expect(after.usage).toEqual(before.usage);
    });
  });

  it('while its sub-agent waits finds it waiting, and one decision is enough', async () => {
    const effects: unknown[] = [];
    const scripts = { 'Lead.': [ask(['worker', { task: 'Pay.' }]), say('paid')], 'Pay.': [ask(['pay', invoice]), say('done')] };
    await withAgents([lead(payer(effects))], scripts, async ({ start, client, requests }) => {
      const turn = await start();
      const [waiting] = await turn.waitForPending();
      const { run_id: first } = await turn.status();
      await resetBefore(client, turn, 'openSubTurn');
      const [still] = await eventually('it waits in the new run', async () => {
        const view = await turn.status();
        const found = await turn.pending();
        return view.run_id !== first && found.length > 0 && found;
      });
      expect(still!.digest).toBe(waiting.digest);
      await turn.approve(waiting.digest, { by: 'ana' });
      expect((await turn.result()).state).toBe('completed');
      expect(effects).toEqual([invoice]);
      expect(requests.get('Pay.')).toHaveLength(2);
    });
  });

  it('and then asks something else under the same number: the earlier sub-turn is ended first, and both are counted', async () => {
    const effects: unknown[] = [];
    let asked = 0;
    const scripts = {
      get 'Lead.'() {
        return [ask(['worker', { task: asked++ === 0 ? 'Pay.' : 'Only look.' }]), say('looked')];
      },
      'Pay.': [ask(['pay', invoice]), say('done')],
      'Only look.': [say('seen')],
    };
    await withAgents([lead(payer(effects))], scripts, async ({ start, client }) => {
      const turn = await start();
      await turn.waitForPending();
      await resetBefore(client, turn, 'takeStep');
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'completed', text: 'looked' });
      expect(view.sub_turns).toMatchObject([
        { turn_id: `${turn.id}~1.1`, state: 'cancelled' },
        { turn_id: `${turn.id}~1.1~2`, state: 'completed' },
      ]);
      expect(effects).toEqual([]);
      expect(view.usage.input_tokens).toBe(400); // two of the new run, one of each sub-agent
    });
  });
});

describe('a turn under the name of a sub-agent', () => {
  it('that somebody else has started is left alone: the sub-agent gets another name', async () => {
    const scripts = {
      'Lead.': [ask(['worker', { task: 'Look.' }]), say('ok')],
      'Look.': [say('mine')],
      'Trap.': [say('TRAPPED')],
    };
    await withAgents([lead(payer([]))], scripts, async ({ start, client, requests }) => {
      await (await client.start({ agent: 'worker', message: 'Trap.', id: 'known~1.1' }).then((turn) => turn)).result();
      const view = await (await start('Lead.', { id: 'known', requester: 'local' })).result();
      expect(view.sub_turns).toMatchObject([{ turn_id: 'known~1.1~2' }]);
      expect(results(requests.get('Lead.')![1]!)[0]!.body.data.answer).toBe('mine');
    });
  });

  it('signals that somebody makes up change nothing, however many', async () => {
    const effects: unknown[] = [];
    const scripts = { 'Lead.': [ask(['worker', { task: 'Pay.' }]), say('paid')], 'Pay.': [ask(['pay', invoice]), say('done')] };
    await withAgents([lead(payer(effects), [reads('look', () => 1)])], scripts, async ({ start, client }) => {
      const turn = await start();
      const [child] = await children(client, turn);
      const [waiting] = await turn.waitForPending();
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      const before = (await handle.describe()).historyLength;
      for (let n = 0; n < 20; n++)
        await Promise.all([
          handle.signal('sub_turn', { turn_id: child!.id, state: 'completed', ended: true, waiting: [] }),
          handle.signal('sub_turn', { turn_id: 'another' }),
          handle.signal('sub_turn', [null]),
        ]);
      const view = await eventually('they have arrived', async () => {
        const now = await turn.status();
        return now.ignored_signals.count >= 40 && now;
      });
      expect(view).toMatchObject({ state: 'awaiting_approval', pending: [waiting.digest] });
      expect((await handle.describe()).historyLength - before).toBeLessThan(60 + 20 * 12);
      await turn.approve(waiting.digest, { by: 'ana' });
      expect((await turn.result()).state).toBe('completed');
    });
  });
});
