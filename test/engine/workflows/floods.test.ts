import { eventually, withEngine } from '../support/engine';
import { fillRun, FILLS_A_SHORT_RUN, shortRunServer } from '../support/fill-run';
import { afterFlood, flood, FLOOD_MS, STEADY } from '../support/flood';
import { runs } from '../../support/runs';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

/** In long runs more than Temporal takes of one run, which is 10,000. */
const MANY = runs(1_000, 12_000);

describe('thousands of signals of junk', () => {
  const server = shortRunServer();

  it(
    'do not keep a later approval from running the call once: the turn goes on in another run, with the messages to it',
    async () => {
      const effects: { invoice: string }[] = [];
      const calls = ['A', 'B', 'C'].map((name): [string, any] => ['pay', { invoice: name, cents: 1 }]);
      const agent = { approvals: { quorum: 2 } };
      await withEngine(
        { address: server.address, tools: [pays('pay', effects)], agent, script: [ask(...calls), say('done')] },
        async ({ start, client, model }) => {
          const turn = await start();
          const [a, b, c] = await eventually('all three wait', async () => {
            const pending = await turn.pending();
            return pending.length === 3 && pending.map((call) => call.digest);
          });
          const first = (await turn.status()).run_id;
          await turn.approve(a!, { by: 'ana' });
          await turn.steer('Only what is due.', { by: 'mia' });
          const handle = client.temporal.workflow.getHandle(turn.workflowId);
          const junk = (n: number) => handle.signal(n % 2 ? 'approve' : 'junk', { call: 'f'.repeat(64), by: `x${n}` });
          await flood(junk, 1_000);
          // A new run counts signals before it has opened its questions again.
          const all = (count: number) =>
            afterFlood(turn, ({ ignored_signals, pending }) => ignored_signals.count >= count && pending.length === 3);
          let view = await all(1_000);
          for (let sent = 1_000; sent < MANY; sent += STEADY) {
            await flood((n) => junk(sent + n), STEADY);
            view = await all(Math.min(MANY, sent + STEADY));
          }
          if (view.run_id === first) {
            await fillRun(client, turn, FILLS_A_SHORT_RUN);
            view = await all(MANY + 1);
          }
          expect(view.run_id).not.toBe(first);
          expect(view.ignored_signals.last).toHaveLength(50);
          expect(view.pending).toEqual([a, b, c]);
          expect(view.step).toBe(1);
          expect(effects).toEqual([]);
          await expect(turn.approve(a!, { by: 'ana' })).rejects.toThrow('has decided on call');
          await turn.approve(a!, { by: 'bob' });
          await turn.deny(b!, { by: 'bob' });
          await turn.approve(c!, { by: 'ana' });
          await turn.approve(c!, { by: 'bob' });
          const done = await turn.result();
          expect(done).toMatchObject({ state: 'completed', steered_by: ['mia'] });
          expect(model.requests[1]!.messages.at(-1)!.content).toEqual([{ type: 'text', text: 'Only what is due.' }]);
          expect(effects.map(({ invoice }) => invoice)).toEqual(['A', 'C']);
          expect(done.calls.map(({ state }) => state)).toEqual(['succeeded', 'denied', 'succeeded']);
        },
      );
    },
    FLOOD_MS,
  );
});
