/** A tool pays, and then fails in a function of ours. The refusal of that function says nothing about the payment. */
import { z } from 'zod';
import { binaryFile } from '../../../src/tools/results/result-files';
import { defineTool } from '../../../src/tools/define/define';
import { eventually, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import type { ToolContext } from '../../../src/tools/define/tool';

let paid = 0;
beforeEach(() => (paid = 0));

const pays = (then: (ctx: ToolContext) => unknown) =>
  defineTool({
    name: 'pay',
    version: '1.0.0',
    class: 'destructive',
    description: 'Pays.',
    input: z.object({}),
    run: async (_input, ctx) => {
      paid += 1;
      return (await then(ctx)) as object;
    },
  });

const FAILS: [string, (ctx: ToolContext) => unknown][] = [
  ['reads a result that does not exist', (ctx) => ctx.store.readResult('sha256:none')],
  ['opens an invalid cursor', (ctx) => ctx.cursors.open('none')],
  ['returns an invalid file', () => binaryFile({ filename: 'a', contentType: 'none', bytes: Buffer.alloc(1) })],
];

describe('a payment whose tool then', () => {
  it.each(FAILS)('%s is in doubt, and is not made again', async (_how, then) => {
    const script = [ask(['pay', {}]), ask(['pay', {}]), say('done')];
    await withEngine({ tools: [pays(then)], script }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      const found = await eventually('it is in doubt, or has ended', async () => {
        const [first] = (await turn.status()).calls;
        return (first?.state === 'in_doubt' || first?.effect === 'not_applied') && first;
      });
      expect(found).toMatchObject({ state: 'in_doubt', effect: 'in_doubt' });
      await turn.settle(found.digest!, 'applied', { by: 'ana' });
      await turn.cancel();
      await turn.result();
      expect(paid).toBe(1);
    });
  });
});
