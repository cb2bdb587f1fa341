/** One tenant's search spins while another tenant's payment is under way: the payment keeps its heartbeat. */
import { setTimeout as sleep } from 'node:timers/promises';
import { workspaceTools } from '../../../packs/workspace/src';
import { Place } from '../packs/workspace/support';
import { invoice, scene } from '../../engine/support/scene';
import { ask, results, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import type { ToolContext } from '../../../src/tools/define/tool';

/** Longer than a heartbeat timeout (10 s). */
const PAYING_MS = 12_000;

it('a payment is made once and is not in doubt, while a regular expression of another turn spins', async () => {
  const place = new Place();
  place.put('long.txt', `${'a'.repeat(2000)}b${'a'.repeat(7000)}\n`.repeat(400));
  const effects: unknown[] = [];
  let ticks = 0;
  const run = async (input: unknown, ctx: ToolContext) => {
    effects.push(input);
    for (const until = Date.now() + PAYING_MS; Date.now() < until; ticks++) {
      ctx.progress('paying');
      await sleep(100);
    }
    return { paid: true };
  };
  const pay = pays('pay', [], { run });
  const script = [ask(['pay', invoice]), ask(['grep', { pattern: '(a?){400}b$' }]), say('It takes too long.'), say('Paid.')];
  const tools = [...workspaceTools({ root: place.root }), pay];
  try {
    await scene('any', { tools, script }, async ({ start, turn, waiting, by, model }) => {
      const searching = await start('Find it.', { requester: 'mallory' });
      await turn.approve(waiting.digest, await by('zoe'));
      expect((await searching.result()).state).toBe('completed');
      const paid = await turn.result();
      expect(paid).toMatchObject({ state: 'completed', calls: [{ tool: 'pay', state: 'succeeded', effect: 'applied' }] });
      expect(effects).toEqual([invoice]);
      expect(ticks).toBeGreaterThan(PAYING_MS / 100 / 4);
      const searched = results(model.requests[2]!).find(({ isError }) => isError);
      expect(searched).toMatchObject({ body: { error: { code: 'INVALID_PARAMS', reason: 'pattern_too_slow' } } });
    });
  } finally {
    place.remove();
  }
});
