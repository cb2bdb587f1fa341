/**
 * A worker whose tool acts on another target than the call was admitted for looks at a call in doubt, or makes it again. Another
 * bank does not know the payment: it seems not to have happened, or is made there too. The cause is an operator who has changed an
 * account under a running turn, or an attacker who reaches Temporal's gRPC port and names another agent.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { ReconcileEffectInput, RunCallInput } from '../../../src/shared/io/activities';
import { callDigest, idempotencyKey } from '../../../src/shared/json/digests';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { approvalOf, runInput, waitingArguments, withForger, type Forge } from '../support/forge';
import { withMcp } from '../support/packs/mcp/mcp-engine';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import type { Tool, ToolDefinition } from '../../../src/tools/define/tool';

const invoice = { invoice: 'INV-7', cents: 700 };

/** Pays, and its answer is lost. */
const payBy = (bank: unknown[], account: string, more: Partial<ToolDefinition<any>> = {}): Tool =>
  pays('pay', bank, {
    target: { account },
    run: (input: unknown) => {
      bank.push(input);
      throw new ToolError('NETWORK_ERROR', 'connection_lost', 'the connection was lost after sending');
    },
    ...more,
  });

const agents = (tools: Record<string, Tool>) =>
  defineApp({ agents: Object.entries(tools).map(([name, tool]) => defineAgent({ name, prompt: 'Test.', tools: [tool] })) });

interface InDoubt extends Engine {
  request: RunCallInput;
  state(): Promise<string>;
}

/** A payment of agent `ours` that was made, and is in doubt. */
async function inDoubt(setup: Setup, body: (scene: InDoubt) => Promise<void>): Promise<void> {
  await withEngine({ script: [ask(['pay', invoice]), say('done')], madeUp: true, ...setup }, async (engine) => {
    const turn = await engine.start('Pay it.', { agent: 'ours', requester: 'rita' });
    const [waiting] = await turn.waitForPending();
    const args = await waitingArguments(engine.client, turn, waiting.digest);
    const request = await runInput(turn, args, [approvalOf(waiting, 'zoe', { by: 'zoe' })]);
    await turn.approve(waiting.digest, { by: 'zoe' });
    await eventually('in doubt', async () => (await turn.status()).state === 'in_doubt');
    const key = idempotencyKey({ ...request.turn, call_id: args.id, digest: args.digest });
    await body({ ...engine, request, state: async () => (await engine.store.effects.latest(key))!.state });
    await turn.settle((await turn.waitForPending())[0].digest, 'applied', { by: 'zoe' });
    await turn.result();
  });
}

const probing = ({ turn, call, at, head }: RunCallInput): ReconcileEffectInput => ({
  turn,
  call,
  at,
  head,
  not_applied_from: at,
});

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-target-'));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const withStore = (body: (store: Store) => Promise<void>) => withFolder(async (folder) => body(await FileStore.open(folder)));

const knowsNothing = { reconcile: () => 'unknown' as const, reconcileMs: 1 };
const findsNothing = { reconcile: () => 'not_applied' as const };

describe('a payment that was approved, through an MCP server', () => {
  const throughServer = (entry: object, body: (pay: () => Promise<[number, string]>, env: NodeJS.ProcessEnv) => Promise<void>) =>
    withFolder(async (folder) => {
      const ledger = join(folder, 'ledger');
      await writeFile(ledger, '');
      const args = [join(__dirname, '../../support/packs/mcp/fixtures/odd-server.mjs')];
      const env = { ACCOUNT: 'DE-1', TOKEN: 'the-token-of-may' };
      const given = { LEDGER: ledger, ACCOUNT: '${ACCOUNT}', TOKEN: '${TOKEN}' };
      const servers = { odd: { command: process.execPath, args, env: given, ...entry } };
      const script = [ask(['odd__pay', { cents: 700 }]), say('done')];
      await withMcp({ servers, env, script }, async (engine) => {
        const turn = await engine.start('Pay it.', { requester: 'rita' });
        await turn.waitForPending(); // admitted for the present account and token of the entry
        const pay = async (): Promise<[number, string]> => {
          await engine.restarted();
          const [waiting] = await turn.waitForPending();
          await turn.approve(waiting.digest, { by: 'zoe' });
          const card = await eventually('it has ended, or asks again', async () => {
            if ((await turn.status()).ended_at !== null) return 'ended';
            const [again] = (await turn.pending()).filter(({ digest }) => digest !== waiting.digest);
            return again ? ((await turn.cards()).get(again.digest) ?? false) : false;
          });
          return [(await readFile(ledger, 'utf8')).split('\n').filter(Boolean).length, card];
        };
        await body(pay, env);
        if ((await turn.status()).ended_at === null) await turn.cancel();
        await turn.result();
      });
    });

  it('asks again before it pays from another account that the server’s entry now names', () =>
    throughServer({ target: { ACCOUNT: 'shown' } }, async (pay, env) => {
      env.ACCOUNT = 'DE-9';
      const [paid, card] = await pay();
      expect(paid).toBe(0);
      expect(card).toMatch(/DE-1[^]*DE-9/);
      expect(await pay()).toEqual([1, 'ended']);
    }));

  it('asks again also where only a secret has changed, and shows neither value', () =>
    throughServer({}, async (pay, env) => {
      env.TOKEN = 'a-token-of-somebody-else';
      const [paid, card] = await pay();
      expect(paid).toBe(0);
      expect(card).toMatch(/TOKEN.*digest [0-9a-f]{32}/);
      expect(card).not.toMatch(/the-token-of-may|a-token-of-somebody-else/);
    }));

  it('is made where a token was replaced that the operator told us to ignore', () =>
    throughServer({ target: { TOKEN: 'ignored' } }, async (pay, env) => {
      env.TOKEN = 'the-token-of-june';
      expect(await pay()).toEqual([1, 'ended']);
    }));
});

describe('a payment in doubt', () => {
  it('is not settled by another agent’s probe, even if somebody claims that its turn is older than digests that name agents', async () => {
    const bank: unknown[] = [];
    const app = agents({ ours: payBy(bank, 'DE-1', knowsNothing), theirs: payBy([], 'DE-2', findsNothing) });
    await inDoubt({ app }, ({ client, taskQueue, request, state }) =>
      withForger(client, taskQueue, async (forge: Forge) => {
        const { store_id: _, ...unbound } = { ...request.turn, agent: 'theirs' };
        const call = { ...request.call, digest: callDigest(unbound, request.call) };
        await forge('reconcileEffect', probing({ ...request, turn: unbound, call })).catch(() => undefined);
        expect(await state()).toBe('in_doubt');
        await forge('runCall', { ...request, call: { ...request.call, dispatch: 2 } });
        expect(bank).toEqual([invoice]);
      }),
    );
  });

  it('is not settled by the probe of a worker whose tool now acts on something else', () =>
    withStore(async (store) => {
      const first: Setup = { app: agents({ ours: payBy([], 'DE-1', knowsNothing) }), store };
      await inDoubt(first, ({ request, state }) =>
        withEngine({ app: agents({ ours: payBy([], 'DE-9', findsNothing) }), store, script: [] }, ({ client, taskQueue }) =>
          withForger(client, taskQueue, async (forge) => {
            // Under its digest, and under that with which this worker has admitted the same action.
            const { digest: _, dispatch: __, preview_ref: ___, ...call } = request.call;
            const second = await forge('admitCall', { turn: request.turn, call, reason: 'made up', expires_at: null });
            if (!second.ok) throw new Error(second.error.message);
            const { digest, preview_ref, target_hash = null } = second;
            const again = { ...request, call: { ...request.call, digest, preview_ref, target_hash } };
            for (const asked of [request, again]) {
              const { settled, evidence } = await forge('reconcileEffect', probing(asked));
              expect([settled, await state()]).toEqual([null, 'in_doubt']);
              expect(evidence).toMatch(/DE-1[^]*DE-9/);
            }
          }),
        ),
      );
    }));

  it('is not made again on something else, though its upstream honours the key', () =>
    withStore(async (store) => {
      const [bank, other]: unknown[][] = [[], []];
      const first: Setup = { app: agents({ ours: payBy(bank!, 'DE-1') }), store };
      await inDoubt(first, ({ request, state }) =>
        withEngine({ app: agents({ ours: payBy(other!, 'DE-9', { idempotent: true }) }), store, script: [] }, (second) =>
          withForger(second.client, second.taskQueue, async (forge) => {
            const again = { ...request, call: { ...request.call, dispatch: 2 } };
            expect(await forge('runCall', again)).toMatchObject({ effect: 'in_doubt' });
            expect([await state(), bank, other]).toEqual(['in_doubt', [invoice], []]);
          }),
        ),
      );
    }));

  it('stays in doubt for as long as any of its attempts may act, also where a later one has less time', () =>
    withStore(async (store) => {
      const never = { run: () => new Promise<never>(() => undefined), idempotent: true, timeoutMs: 500 };
      const app = agents({ ours: payBy([], 'DE-1', never) });
      await withEngine({ app, store, script: [ask(['pay', invoice]), say('done')], madeUp: true }, async (engine) => {
        const turn = await engine.start('Pay it.', { agent: 'ours', requester: 'rita' });
        const [waiting] = await turn.waitForPending();
        const call = await waitingArguments(engine.client, turn, waiting.digest);
        const request = await runInput(turn, call, [approvalOf(waiting, 'zoe', { by: 'zoe' })]);
        const { run_id, head } = await turn.status();
        const key = idempotencyKey({ ...request.turn, call_id: call.id, digest: call.digest });
        const deadline = new Date(Date.now() + 600_000).toISOString();
        const common = { idempotency_key: key, turn_id: turn.id, digest: call.digest, tool: 'pay', run_id, head: head! };
        await store.effects.claim({ ...common, dispatch: 1, attempt: 1, deadline });
        await withForger(engine.client, engine.taskQueue, async (forge) => {
          expect(await forge('runCall', { ...request, call: { ...call, dispatch: 2 } })).toMatchObject({ effect: 'in_doubt' });
        });
        expect(Date.parse((await store.effects.latest(key))!.deadline!)).toBeGreaterThan(Date.parse(deadline));
        await turn.cancel();
        await turn.result();
      });
    }));
});

describe('a question to a sub-agent that people have approved', () => {
  it('is not put to another agent by a worker whose tool of that name and version asks that agent', () =>
    withStore(async (store) => {
      const helpers = ['careful', 'careless'].map((name) => defineAgent({ name, prompt: 'Help.', tools: [pays('pay', [])] }));
      const app = (asked: string) => {
        const tools = [agentTool(asked, { name: 'help', description: 'Helps.' })];
        return defineApp({
          agents: [defineAgent({ name: 'ours', prompt: 'Lead.', tools, permissions: { ask: ['help'] } }), ...helpers],
        });
      };
      const first: Setup = { app: app('careful'), store, script: [ask(['help', { task: 'Pay.' }]), say('done')], madeUp: true };
      await withEngine(first, async ({ client, start }) => {
        const turn = await start('Help.', { agent: 'ours', requester: 'rita' });
        const [waiting] = await turn.waitForPending();
        const args = await waitingArguments(client, turn, waiting.digest);
        const request = await runInput(turn, args, [approvalOf(waiting, 'zoe', { by: 'zoe' })]);
        await withEngine({ ...first, app: app('careless') }, ({ taskQueue }) =>
          withForger(client, taskQueue, async (forge) => {
            const opened = await forge('openSubTurn', { ...request, sub_turn_id: `${turn.id}~1.1` });
            expect(opened).toMatchObject({ open: false, refused: { held: [{ kind: 'target_changed' }] } });
          }),
        );
        await turn.deny(waiting.digest, { by: 'zoe' });
        await turn.result();
      });
    }));
});
