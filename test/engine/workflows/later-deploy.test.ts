/** A deploy while a call is pending: the worker that knew its tool is gone, and the next one knows it, or another version of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { FileStore } from '../../../src/store/files/file-store';
import { defineTool } from '../../../src/tools/define/define';
import type { Tool } from '../../../src/tools/define/tool';
import { allowed, Bank, completed, isPending, settledOn, transfer } from '../support/bank';
import { withEngine, type Engine } from '../support/engine';
import { resetTurn } from '../support/reset';
import { ask, say } from '../../support/scripted-model';

const applied = { state: 'succeeded', effect: 'applied' };
const dateOnly = { output: z.object({ settled_on: z.iso.date() }) };

/** A build of the tool that orders nothing, as no call begins under it. */
function build(version: string, more: { output: z.ZodType; poll?: Tool['poll'] }): Tool {
  return defineTool({
    ...{ name: 'transfer', version, class: 'destructive', description: 'Transfers money, which settles days later.' },
    input: z.object({ to: z.string(), cents: z.number().int() }),
    run: () => {
      throw new Error('It ran again.');
    },
    ...more,
  } as never);
}

const completesIt = (engine: Engine, bank: Bank) => completed(engine, bank.token, { result: settledOn });

describe('after a deploy a pending call', () => {
  let directory: string;
  beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'holdfast-deploy-'))));
  afterAll(() => rm(directory, { recursive: true }));

  /** The call becomes pending under one build, and its turn goes on under the next. */
  async function deployed(
    next: (bank: Bank) => Tool[],
    body: (on: Engine, bank: Bank, id: string) => Promise<void>,
    script = [say('done')],
  ): Promise<void> {
    const bank = new Bank({ expiresMs: 86_400_000, poll: { everyMs: 1000 } });
    const store = await FileStore.open(await mkdtemp(join(directory, 'store-')));
    let [id, taskQueue] = ['', ''];
    await withEngine({ tools: [bank.tool], agent: allowed, store, script: [ask(['transfer', transfer])] }, async (old) => {
      const turn = await old.start('Transfer it.');
      await isPending(turn);
      [id, taskQueue] = [turn.id, old.taskQueue];
    });
    const tester = defineAgent({ name: 'tester', prompt: 'Test.', tools: ['transfer'], ...allowed });
    const app = defineApp({ agents: [tester], tools: next(bank) });
    await withEngine({ app, store, taskQueue, script }, async (on) => {
      await body(on, bank, id);
      expect(bank.orders).toHaveLength(1);
    });
  }

  it('is completed where the next build has its version beside a newer one', () =>
    deployed((bank) => [bank.tool, build('2.0.0', { output: z.object({ on: z.string() }) })], async (on, bank, id) => {
      await completesIt(on, bank);
      expect((await on.client.turn(id).result()).calls).toMatchObject([applied]);
    })); // oxfmt-ignore

  it('is completed by what the tool of the next build takes as its result', () =>
    deployed(
      () => [build('1.0.0', { output: z.object({ on: z.string() }) })],
      async (on, bank, id) => {
        await expect(completesIt(on, bank)).rejects.toThrow(/the result does not fit the tool/);
        await completed(on, bank.token, { result: { on: 'Thursday' } });
        expect((await on.client.turn(id).result()).calls).toMatchObject([applied]);
      },
    ));

  it('ends by the poll of the next build', () =>
    deployed(
      () => [build('1.0.0', { ...dateOnly, poll: () => ({ result: settledOn }) })],
      async (on, _, id) => {
        expect((await on.client.turn(id).result()).calls).toMatchObject([applied]);
      },
    ));

  it('stays pending where the next build has another version only, and says so; after a cancel a person settles it', () =>
    deployed(
      () => [build('2.0.0', dateOnly)],
      async (on, bank, id) => {
        const turn = on.client.turn(id);
        await expect(completesIt(on, bank)).rejects.toThrow(/the worker that was asked has no tool transfer@1\.0\.0/);
        expect((await turn.status()).state).toBe('awaiting_completion');
        await turn.cancel();
        const [call] = await turn.waitForPending();
        await turn.settle(call.digest, 'applied', { by: 'ana' });
        expect((await turn.result()).calls).toMatchObject([applied]);
      },
    ));

  it('is the same order after a reset that admits it under the next version: its poll gets the key of the order', () => {
    let keys: string[] | null = null;
    const poll: Tool['poll'] = (_, { idempotencyKey }) => {
      if (keys === null) return 'pending';
      keys.push(idempotencyKey);
      return { result: settledOn };
    };
    return deployed(() => [build('2.0.0', { ...dateOnly, poll })], async (on, bank, id) => {
      const turn = on.client.turn(id);
      await resetTurn(on.client, turn, { before: 'takeStep' });
      keys = [];
      expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ ...applied, version: '2.0.0' }] });
      expect(keys).toEqual(bank.keys);
    }, [ask(['transfer', transfer]), say('done')]); // oxfmt-ignore
  });

  it('is settled by a person after such a reset, if it is cancelled', () =>
    deployed(() => [build('2.0.0', dateOnly)], async (on, _, id) => {
      const turn = on.client.turn(id);
      await resetTurn(on.client, turn, { before: 'takeStep' });
      await isPending(turn);
      await turn.cancel();
      const [call] = await turn.waitForPending();
      await turn.settle(call.digest, 'applied', { by: 'ana' });
      expect((await turn.result()).calls).toMatchObject([{ ...applied, version: '2.0.0' }]);
    }, [ask(['transfer', transfer]), say('done')])); // oxfmt-ignore
});
