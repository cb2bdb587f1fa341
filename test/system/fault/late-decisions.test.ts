/**
 * Whatever is sent while no worker runs: whoever sends it is told that no worker answered, and when one is back nothing of
 * it happens.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { z } from 'zod';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { HoldfastClient } from '../../../src/client';
import { connectTemporal } from '../../../src/client/connect';
import type { TurnHandle } from '../../../src/client/turn-handle';
import { dataConverter } from '../../../src/data-converter';
import { serveGateway } from '../../../src/gateway/serve';
import { FileStore } from '../../../src/store/file-store';
import { CLOCKS_APART_MS, WAITS_MS } from '../../../src/shared/waits';
import { defineTool } from '../../../src/tools/define';
import { eventually, testAddress, withEngine, type Engine, type Setup } from '../../engine/support/engine';
import { gatewayParts } from '../../support/gateway';
import { ana, rita } from '../../engine/support/gateway-scene';
import { PlannedModel } from '../../support/planned-model';
import { ask, say, type Answer } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const requester = 'acme/rita';
/** Longer than a worker that is back needs for what has waited. */
const SETTLES = 3000;

/** An engine, then nobody, then another engine that goes on with what the first has begun. */
class Stage {
  readonly effects: unknown[] = [];
  readonly signers = new Signers();
  private readonly taskQueue = `late-${randomBytes(6).toString('hex')}`;
  /** Outlives each engine. */
  private readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-late-'));
  private store: Engine['store'] | null = null;
  /** What the tool `lose` is to do. */
  private readonly lose = defineTool({
    name: 'lose',
    version: '1.0.0',
    description: 'Sends money.',
    class: 'destructive',
    input: z.object({ to: z.string() }),
    run: () => Promise.reject(new Error('The line broke.')),
  });
  private readonly scripts: Record<string, Answer[]> = {
    'Pay.': [ask(['pay', invoice]), say('done')],
    'Lose.': [ask(['lose', { to: 'x' }]), say('done')],
    'Lead.': [ask(['payer', { task: 'Pay.' }]), say('done')],
    'Hello.': [say('Hello.')],
  };

  async setup(): Promise<Setup> {
    const tools = [pays('pay', this.effects), this.lose];
    const payer = defineAgent({ name: 'payer', prompt: 'Pay.', tools });
    const agents = [
      defineAgent({ name: 'tester', prompt: 'Test.', tools }),
      defineAgent({ name: 'leader', prompt: 'Lead.', tools: [agentTool(payer, { description: 'Pays.' })] }),
      payer,
    ];
    return {
      app: defineApp({ agents }),
      model: new PlannedModel((message) => this.scripts[message] ?? [say('done')]),
      settings: { trust: this.signers.trust },
      signingKey: await this.signers.file(this.signers.gateway),
      taskQueue: this.taskQueue,
      store: (this.store ??= await FileStore.open(this.folder)),
    };
  }

  async withWorker(body: (engine: Engine) => Promise<void>): Promise<void> {
    await withEngine(await this.setup(), body);
  }

  async withNobody(body: (client: HoldfastClient) => Promise<void>): Promise<void> {
    const address = testAddress();
    const connection = await connectTemporal({ address, namespace: 'default', connectionOptions: { address } });
    try {
      const temporal = new Client({ connection, dataConverter });
      await body(new HoldfastClient(temporal, { taskQueue: this.taskQueue, uiUrl: null, store: this.store! }));
    } finally {
      await connection.close();
    }
  }

  /** Messages to a session over HTTP, each under a key. */
  overHttp(client: HoldfastClient, session: string, body: (post: Post) => Promise<void>): Promise<void> {
    return this.posting(client, rita, (post) =>
      body((message, key, cutAfterMs) => post(`sessions/${session}/messages`, { message }, key, cutAfterMs)),
    );
  }

  async posting(client: HoldfastClient, by: typeof rita, body: (post: PostTo) => Promise<void>): Promise<void> {
    const parts = { people: [by], store: this.store!, key: this.signers.gateway, client: async () => client };
    const gateway = await serveGateway(gatewayParts(parts), { host: '127.0.0.1', port: 0, drainMs: 100 });
    const headers = { ...by.headers, 'content-type': 'application/json' };
    try {
      await body(async (path, sent, key, cutAfterMs) => {
        const response = await fetch(`${gateway.url}/v1/${path}`, {
          method: 'POST',
          headers: { ...headers, ...(key === null ? {} : { 'idempotency-key': `${this.taskQueue}-${key}` }) },
          body: JSON.stringify(sent),
          ...(cutAfterMs === undefined ? {} : { signal: AbortSignal.timeout(cutAfterMs) }),
        });
        return { status: response.status, body: await response.json() };
      });
    } finally {
      await gateway.close();
    }
  }

  remove(): void {
    this.signers.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

type PostTo = (path: string, body: object, key: string | null, cutAfterMs?: number) => Promise<{ status: number; body: any }>;
type Post = (message: string, key: string, cutAfterMs?: number) => Promise<{ status: number; body: any }>;

const said = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === 'fulfilled' ? 'accepted' : `${(outcome.reason as Error).name}: ${(outcome.reason as Error).message}`;

it('what is sent by a client while no worker runs is not taken later', async () => {
  const stage = new Stage();
  const ids: Record<string, string> = {};
  const digests: Record<string, string> = {};
  const waits = async (turn: TurnHandle) => (await turn.waitForPending())[0].digest;
  try {
    await stage.withWorker(async ({ client, start }) => {
      const begin = async (name: string, message: string) => {
        const turn = await start(message, { requester, agent: message === 'Lead.' ? 'leader' : 'tester' });
        digests[name] = await waits(turn);
        ids[name] = turn.id;
        return turn;
      };
      await begin('approved', 'Pay.');
      await begin('steered', 'Pay.');
      await begin('interrupted', 'Pay.');
      await begin('cancelled', 'Pay.');
      await begin('lead', 'Lead.');
      const lost = await begin('settled', 'Lose.');
      await lost.approve(digests.settled!, { by: 'ana' });
      await eventually('it is in doubt', async () => (await lost.status()).state === 'in_doubt');
      const session = await client.openSession({ agent: 'tester', requester });
      ids.session = session.id;
      await session.send('Hello.');
      await eventually('it is done', async () => (await session.status()).turns === 1);
    });

    await stage.withNobody(async (client) => {
      const turn = (name: string) => client.turn(ids[name]!);
      const [approved, steered, interrupted, settled, lead, sent, cancelled] = await Promise.allSettled([
        turn('approved').approve(digests.approved!, { by: 'ana' }),
        turn('steered').steer('Pay twice.', { by: 'bob' }),
        turn('interrupted').interrupt({ by: 'bob' }),
        turn('settled').settle(digests.settled!, 'applied', { by: 'ana' }),
        turn('lead').approve(digests.lead!, { by: 'ana' }),
        client.session(ids.session!).send('And again.'),
        turn('cancelled').cancel(),
      ]);
      for (const one of [approved, steered, interrupted, settled, lead, sent])
        expect(said(one)).toMatch(
          /^NoWorker: No worker answered in time to .*; what was sent was not taken, and is not taken later\./,
        );
      expect(said(cancelled)).toBe('accepted');
    });

    await stage.withWorker(async ({ client }) => {
      const turn = (name: string) => client.turn(ids[name]!);
      expect((await turn('cancelled').result()).state).toBe('cancelled');
      await sleep(SETTLES);
      expect(stage.effects).toEqual([]);
      for (const name of ['approved', 'steered', 'interrupted', 'lead'])
        expect(await turn(name).status()).toMatchObject({ state: 'awaiting_approval', ignored_signals: { count: 0 } });
      expect((await turn('settled').status()).state).toBe('in_doubt');
      expect(await client.session(ids.session!).status()).toMatchObject({ turns: 1, queue: [], running: null });
      // The denial that was given meanwhile counts.
      await turn('approved').deny(digests.approved!, { by: 'bob' });
      expect(await turn('approved').result()).toMatchObject({ calls: [{ state: 'denied' }] });
      await turn('settled').settle(digests.settled!, 'not_applied', { by: 'ana' });
      for (const name of ['steered', 'interrupted', 'lead']) await turn(name).cancel();
      await client.session(ids.session!).close({ by: 'rita' });
      for (const name of ['steered', 'interrupted', 'lead', 'settled']) await turn(name).result();
      expect(stage.effects).toEqual([]);
    });
  } finally {
    stage.remove();
  }
}, 240_000);

it('what is sent over HTTP while no worker runs is not taken later, also where the connection is cut; the same request again is', async () => {
  const stage = new Stage();
  let id = '';
  try {
    await stage.withWorker(async ({ client }) => {
      const session = await client.openSession({ agent: 'tester', requester });
      id = session.id;
      await stage.overHttp(client, id, async (post) => {
        // A worker runs, and the answer is lost: it is the same for the same request.
        await expect(post('Hello.', 'first', 1)).rejects.toThrow(/abort|timeout/i);
        expect(await post('Hello.', 'first')).toMatchObject({ status: 202, body: { turn_id: `${id}.1` } });
      });
      await eventually('it is done', async () => (await session.status()).turns === 1);
    });

    await stage.withNobody((client) =>
      stage.overHttp(client, id, async (post) => {
        const tooLate = Date.now() + WAITS_MS + CLOCKS_APART_MS;
        const [cut, waited] = await Promise.allSettled([post('Cut.', 'cut', 2000), post('Waited.', 'waited')]);
        expect(cut.status).toBe('rejected');
        expect(waited).toMatchObject({ value: { status: 503 } });
        // Of the two, one may not even have been sent: the other is under way.
        expect((waited as any).value.body.error.message).toMatch(
          /was not taken, and is not taken later|nothing was lost or changed/,
        );
        // Nobody was told what became of the one that was cut: a worker that comes in time takes it.
        await sleep(Math.max(0, tooLate - Date.now()));
      }),
    );

    await stage.withWorker(async ({ client }) => {
      const session = client.session(id);
      await sleep(SETTLES);
      expect(await session.status()).toMatchObject({ turns: 1, queue: [], running: null });
      await stage.overHttp(client, id, async (post) => {
        const again = await post('Cut.', 'cut');
        expect(again).toMatchObject({ status: 202, body: { turn_id: `${id}.2` } });
        expect(await post('Cut.', 'cut')).toEqual(again);
      });
      await eventually('it is done', async () => (await session.status()).turns === 2);
      await session.close({ by: 'rita' });
    });
  } finally {
    stage.remove();
  }
}, 240_000);

it('a decision over HTTP while no worker runs is not taken later, wherever the connection is cut: a denial that is given meanwhile counts', async () => {
  const stage = new Stage();
  const cuts = [1, 300, 3000];
  const waiting: { id: string; digest: string }[] = [];
  try {
    await stage.withWorker(async ({ start }) => {
      for (const _ of [...cuts, 'waited']) {
        const turn = await start('Pay.', { requester });
        waiting.push({ id: turn.id, digest: (await turn.waitForPending())[0].digest });
      }
    });

    await stage.withNobody((client) =>
      stage.posting(client, ana, async (post) => {
        const tooLate = Date.now() + WAITS_MS + 2 * CLOCKS_APART_MS;
        const approve = ({ id, digest }: (typeof waiting)[number], cutAfterMs?: number) =>
          post(`turns/${id}/decisions`, { call: digest, decision: 'approve' }, null, cutAfterMs);
        const answers = await Promise.allSettled(waiting.map((one, at) => approve(one, cuts[at])));
        expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
        const message = expect.stringMatching(/was not taken, and is not taken later|nothing was lost or changed/);
        expect(answers[3]).toMatchObject({ value: { status: 503, body: { error: { message } } } });
        await sleep(Math.max(0, tooLate - Date.now()));
      }),
    );

    await stage.withWorker(async ({ client }) => {
      await sleep(SETTLES);
      for (const { id } of waiting) expect((await client.turn(id).status()).state).toBe('awaiting_approval');
      await stage.posting(client, ana, async (post) => {
        for (const { id, digest } of waiting)
          expect(await post(`turns/${id}/decisions`, { call: digest, decision: 'deny' }, null)).toMatchObject({ status: 200 });
      });
      for (const { id } of waiting) expect(await client.turn(id).result()).toMatchObject({ calls: [{ state: 'denied' }] });
      expect(stage.effects).toEqual([]);
    });
  } finally {
    stage.remove();
  }
}, 240_000);
