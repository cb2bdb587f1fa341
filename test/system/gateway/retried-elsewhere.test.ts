/** Two gateways over one store: a request counted, its answer was lost with the store, and it is sent again to the other gateway. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, testAddress } from '../../engine/support/engine';
import { person } from '../../support/gateway';
import { startCuttingProxy } from '../store/support/cutting-proxy';
import { describePostgres, StoreServer } from '../store/support/postgres';
import { holdfast } from '../support/process';

const APP = join(__dirname, '../cli/fixtures/call.app.ts');
const rita = person('rita', 'starter');
const ana = person('ana', 'approver');

describePostgres('Two gateways over one PostgreSQL (needs PostgreSQL)', () => {
  let server: StoreServer;
  let home: string;
  const started: ReturnType<typeof holdfast>[] = [];
  beforeAll(async () => {
    server = await StoreServer.start();
    home = await mkdtemp(join(tmpdir(), 'holdfast-retried-'));
  });
  afterAll(async () => {
    await Promise.all(started.map((process) => process.stop()));
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });

  it('if the store is killed after a decision counted and before its answer is kept, a retry at the other gateway gets that answer', async () => {
    const store = await server.fresh();
    const proxy = await startCuttingProxy(server.port);
    const shared = {
      TEMPORAL_ADDRESS: testAddress(),
      HOLDFAST_APPROVALS: 'attested',
      HOLDFAST_STORE: store,
      HOLDFAST_TASK_QUEUE: `retried-${randomBytes(6).toString('hex')}`,
      HOLDFAST_TOKENS: JSON.stringify([rita.entry, ana.entry]),
    };
    const run = (args: string[], env = {}) => {
      const process = holdfast(home, [...args, '--app', APP], { ...shared, ...env });
      started.push(process);
      return process;
    };
    const gateway = async (env = {}) =>
      (await run(['gateway', '--http-port', '0'], env).printed(/(http:\/\/127\.\d+\.\d+\.\d+:\d+);/))[1]!;
    const post = async (url: string, who: typeof ana, body: object, key: string, signal?: AbortSignal) => {
      const headers = { ...who.headers, 'content-type': 'application/json', 'idempotency-key': key };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null });
      return { status: response.status, body: (await response.json()) as any };
    };
    try {
      const throughProxy = new URL(store);
      throughProxy.port = String(proxy.port);
      const first = await gateway({ HOLDFAST_STORE: throughProxy.href });
      const other = await gateway();
      await run(['worker']).printed(/task queue/);
      const { status, body: call } = await post(`${other}/tools/pay`, rita, { input: { size: 7 } }, 'call');
      expect(status).toBe(202);
      const [digest] = call.pending;
      const decision = { decision: 'approve', call: digest };

      // The statement that keeps an answer is the only one with this text.
      const cut = proxy.cutForGood('"answer":{"status":200');
      const gone = new AbortController();
      const unanswered = post(first + call.decisions_url, ana, decision, 'once', gone.signal);
      await Promise.race([cut, unanswered]);
      await server.kill();
      gone.abort();
      await expect(unanswered).rejects.toThrow(/abort/i);
      await server.again();

      const counted = { status: 200, body: { accepted: true, by: 'ana', calls: [digest] } };
      expect(await post(other + call.decisions_url, ana, decision, 'once')).toMatchObject(counted);
      expect((await post(other + call.decisions_url, ana, decision, 'another')).status).toBe(409);
      const view = await eventually('it is paid', async () => {
        const now = (await (await fetch(other + call.view_url, { headers: rita.headers })).json()) as any;
        return now.state === 'completed' && now;
      });
      expect(view.calls).toMatchObject([{ state: 'succeeded', effect: 'applied', attempts: 1, approval: { by: ['ana'] } }]);
      expect(await post(other + call.decisions_url, ana, decision, 'once')).toMatchObject(counted);
    } finally {
      await proxy.close();
    }
  });
});
