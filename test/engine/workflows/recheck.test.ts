import { callDigest, hashJson } from '../../../src/shared/json/digests';
import type { RunCallInput } from '../../../src/shared/io/activities';
import { eventually, withEngine } from '../support/engine';
import { runForged } from '../support/forge';
import { keepMadeUp } from '../support/made-up';
import { recordedCalls } from '../../support/recompute-digests';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

/** A workflow of somebody else's, which schedules the activity with arguments of its own. */
describe('a call that never went through admission', () => {
  it('is checked against the rules where it runs, also if its class is harmless', async () => {
    const effects: unknown[] = [];
    const write = pays('pay', effects, { class: 'write' });
    const permissions = { ask: [{ rule: 'pay', when: 'input.cents > 100' }], deny: [{ rule: 'pay', when: 'input.cents == 7' }] };
    await withEngine(
      { tools: [write], agent: { permissions }, script: [ask(['pay', { invoice: 'i', cents: 1 }]), say('done')] },
      async ({ start, client, taskQueue, store }) => {
        const turn = await start();
        await turn.result();
        const history = await eventually('a recorded call', async () => {
          const found = recordedCalls(await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory());
          return found.length > 0 && found;
        });
        const genuine = history[0]!.input;
        const forged = async (cents: number, more: Partial<RunCallInput> = {}) => {
          const input = { invoice: 'i', cents };
          const call = { ...genuine.call, input, input_hash: hashJson(input) };
          const digest = callDigest(genuine.turn, call);
          await keepMadeUp(store, genuine.turn, { ...call, digest });
          return runForged(client, taskQueue, { ...genuine, ...more, call: { ...call, digest } });
        };
        expect((await forged(101)).error).toMatchObject({ code: 'CONFIRMATION_REQUIRED', reason: 'approval_missing' });
        expect((await forged(7)).error).toMatchObject({ code: 'PERMISSION_DENIED', reason: 'denied_by_rule' });
        expect((await forged(2, { verdict: 'ask' })).error).toMatchObject({ reason: 'approval_missing' });
        expect(effects).toEqual([{ invoice: 'i', cents: 1 }]);
        expect((await forged(3)).state).toBe('succeeded');
      },
    );
  });
});
