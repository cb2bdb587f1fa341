/** Made-up completions of calls that wait for people: they may not use up the updates that Temporal carries at once. */
import { COMPLETE_UPDATE } from '../../../src/workflows/contract';
import { ask, say } from '../../support/scripted-model';
import { eventually, withEngine } from '../support/engine';
import { invoice } from '../support/scene';
import { pays } from '../../support/tools';

it('twenty of them keep nobody from deciding', async () => {
  const effects: unknown[] = [];
  const names = Array.from({ length: 12 }, (_, index) => `INV-${index}`);
  const script = [ask(...names.map((name) => ['pay', { ...invoice, invoice: name }] as [string, typeof invoice])), say('done')];
  await withEngine({ tools: [pays('pay', effects)], script }, async ({ client, start }) => {
    const turn = await start();
    const waiting = () =>
      eventually('all wait', async () => ((await turn.status()).pending.length === 12 ? turn.waitForPending() : false));
    const pending = await waiting();
    const handle = client.temporal.workflow.getHandle(turn.workflowId);
    const junk = Array.from({ length: 20 }, (_, index) =>
      handle
        .executeUpdate(COMPLETE_UPDATE, { args: [{ call: `1.${(index % 12) + 1}`, completion_ref: 'a'.repeat(64) }] })
        .catch((error: unknown) => error),
    );
    const answers: unknown[] = [];
    for (const one of junk) void one.then((answer) => answers.push(answer));
    await eventually('most are refused at once', async () => answers.length === 16);
    expect(answers.filter((answer) => JSON.stringify(answer).includes('other completions wait'))).not.toHaveLength(0);
    for (const { digest } of pending) await turn.approve(digest, { by: 'ana' });
    expect((await turn.result()).state).toBe('completed');
    await Promise.all(junk);
    expect(effects).toHaveLength(12);
  });
});
