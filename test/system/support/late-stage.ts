/** A stage for messages that are sent while no worker runs: an engine, then nobody, then another engine that goes on. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { HoldfastClient } from '../../../src/client';
import { connectTemporal } from '../../../src/temporal/connect';
import { dataConverter } from '../../../src/temporal/data-converter';
import { serveGateway } from '../../../src/gateway/serve';
import { FileStore } from '../../../src/store/files/file-store';
import { testAddress, withEngine, type Engine, type Setup } from '../../engine/support/engine';
import { gatewayParts } from '../../support/gateway';
import { rita } from '../../engine/support/gateway-scene';
import { PlannedModel } from '../../support/planned-model';
import { ask, say, type Answer } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { loses, pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
export const requester = 'acme/rita';
/** Longer than a worker that is back needs for the messages that have waited. */
export const SETTLES = 3000;

/** An engine, then nobody, then another engine that goes on with what the first has begun. */
export class Stage {
  readonly effects: unknown[] = [];
  readonly signers = new Signers();
  readonly taskQueue = `late-${randomBytes(6).toString('hex')}`;
  /** Outlives each engine. */
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-late-'));
  private store: Engine['store'] | null = null;
  /** Controls what the tool `lose` does. */
  private readonly lose = loses('lose');
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
