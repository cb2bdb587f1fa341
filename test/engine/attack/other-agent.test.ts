/**
 * An attacker uses an approval for one agent, account or folder for another. He reaches Temporal's gRPC port, and has read the
 * history of a turn with a genuine, signed approval.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { RunCallInput } from '../../../src/shared/io/activities';
import { FileStore } from '../../../src/store/files/file-store';
import { defineTool } from '../../../src/tools/define/define';
import { shownCard } from '../../support/card';
import { withEngine, type Engine, type Setup } from '../support/engine';
import { approvalOf, runInput, waitingArguments, withForger } from '../support/forge';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import type { Tool } from '../../../src/tools/define/tool';

const invoice = { invoice: 'INV-7', cents: 700 };

/** Pays through the bank of its agent; name, version and rules are the same for both. */
const payBy = (bank: unknown[], account: string): Tool =>
  defineTool({
    name: 'pay',
    version: '1.0.0',
    class: 'destructive',
    description: 'Pays one invoice.',
    input: z.object({ invoice: z.string(), cents: z.number().int() }),
    target: { account },
    run: (input) => {
      bank.push(input);
      return { paid: true };
    },
  });

/** Deletes in its own folder. */
const removeIn = (root: string): Tool =>
  defineTool({
    name: 'remove',
    version: '1.0.0',
    class: 'destructive',
    description: 'Removes a file of the workspace.',
    input: z.object({ path: z.string() }),
    target: { root },
    run: async ({ path }) => {
      await rm(join(root, path));
      return { removed: path };
    },
  });

interface Approved extends Engine {
  /** A genuine call of agent `ours`, with a genuine signature, as an attacker passes it on. */
  request: RunCallInput;
  card: string;
}

/** Two agents, one call of the first waits, and somebody has signed for it. */
async function approved(tools: { ours: Tool; theirs: Tool }, call: [string, object], body: (scene: Approved) => Promise<void>) {
  const signers = new Signers();
  const agent = (name: string, tool: Tool) => defineAgent({ name, prompt: 'Test.', tools: [tool] });
  const setup: Setup = {
    app: defineApp({ agents: [agent('ours', tools.ours), agent('theirs', tools.theirs)] }),
    script: [ask(call as never), say('done')],
    settings: { approvals: 'attested', trust: signers.trust },
    signingKey: await signers.file(signers.gateway),
    madeUp: true,
  };
  try {
    await withEngine(setup, async (engine) => {
      const turn = await engine.start('Do it.', { agent: 'ours', requester: 'rita' });
      const [waiting] = await turn.waitForPending();
      const attestation = await signers.signed(turn, waiting.digest, 'zoe');
      const args = await waitingArguments(engine.client, turn, waiting.digest);
      const request = await runInput(turn, args, [approvalOf(waiting, 'zoe', { attestation })]);
      await body({ ...engine, request, card: await shownCard(engine.client, turn) });
      await turn.cancel();
      await turn.result();
    });
  } finally {
    signers.remove();
  }
}

const asTheirs = (request: RunCallInput): RunCallInput => ({ ...request, turn: { ...request.turn, agent: 'theirs' } });

describe('an attacker who holds a signed approval of one agent’s call cannot', () => {
  it('have it paid by another agent’s bank; its own bank pays it', async () => {
    const [ours, theirs] = [[] as unknown[], [] as unknown[]];
    const tools = { ours: payBy(ours, 'DE-1'), theirs: payBy(theirs, 'DE-2') };
    await approved(tools, ['pay', invoice], async ({ client, taskQueue, request, card }) => {
      expect(card).toContain('account: DE-1');
      await withForger(client, taskQueue, async (forge) => {
        expect(await forge('runCall', asTheirs(request))).toMatchObject({
          state: 'failed',
          effect: 'not_applied',
          error: { reason: 'digest_mismatch' },
        });
        expect([ours, theirs]).toEqual([[], []]);
        expect(await forge('runCall', request)).toMatchObject({ effect: 'applied' });
        expect([ours, theirs]).toEqual([[invoice], []]);
      });
    });
  });

  it('have a file deleted in another agent’s workspace', async () => {
    const [one, other] = await Promise.all(['one', 'other'].map((name) => mkdtemp(join(tmpdir(), `holdfast-${name}-`))));
    const files = [join(one!, 'old.txt'), join(other!, 'old.txt')];
    try {
      for (const file of files) await writeFile(file, 'kept');
      const tools = { ours: removeIn(one!), theirs: removeIn(other!) };
      await approved(tools, ['remove', { path: 'old.txt' }], async ({ client, taskQueue, request }) => {
        await withForger(client, taskQueue, async (forge) => {
          await forge('runCall', asTheirs(request));
          expect(files.map((file) => existsSync(file))).toEqual([true, true]);
          expect(await forge('runCall', request)).toMatchObject({ effect: 'applied' });
          expect(files.map((file) => existsSync(file))).toEqual([false, true]);
        });
      });
    } finally {
      for (const root of [one!, other!]) await rm(root, { recursive: true, force: true });
    }
  });

  it('have it run by a worker whose tool acts on something else: people are asked about that', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-target-'));
    const store = await FileStore.open(folder);
    const [ours, moved] = [[] as unknown[], [] as unknown[]];
    const app = (bank: unknown[], account: string) =>
      defineApp({ agents: [defineAgent({ name: 'ours', prompt: 'Test.', tools: [payBy(bank, account)] })] });
    try {
      const first: Setup = { app: app(ours, 'DE-1'), store, script: [ask(['pay', invoice]), say('done')], madeUp: true };
      await withEngine(first, async ({ client, start }) => {
        const turn = await start('Do it.', { agent: 'ours', requester: 'rita' });
        const [waiting] = await turn.waitForPending();
        const args = await waitingArguments(client, turn, waiting.digest);
        const request = await runInput(turn, args, [approvalOf(waiting, 'zoe', { by: 'zoe' })]);
        await withEngine({ ...first, app: app(moved, 'DE-9') }, ({ taskQueue }) =>
          withForger(client, taskQueue, async (forge) => {
            const output = await forge('runCall', request);
            expect(output).toMatchObject({ effect: null, held: [{ kind: 'target_changed' }] });
            expect(output.held![0]!.text).toMatch(/DE-1[^]*DE-9/);
          }),
        );
        expect([ours, moved]).toEqual([[], []]);
        await turn.approve(waiting.digest, { by: 'zoe' });
        expect((await turn.result()).state).toBe('completed');
        expect([ours, moved]).toEqual([[invoice], []]);
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
