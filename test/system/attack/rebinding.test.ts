/**
 * What a page in the browser of a person who runs `holdfast dev` can do: under a name of its own that it has pointed at this
 * machine (DNS rebinding, which `Host` shows), or openly from elsewhere (`Origin`).
 */
import { platform } from 'node:os';
import { Client, Connection } from '@temporalio/client';
import { startDev, type Dev } from '../cli/support/dev';
import { family } from '../cli/support/processes';
import { eventually } from '../../engine/support/engine';
import { freePort } from '../../support/free-port';
import { listening, type Listening } from '../support/listening';
import { rawHttp, type RawRequest } from '../support/raw-http';

const PATHS = ['/', '/healthz', '/readyz', '/metrics', '/docs', '/openapi.json', '/api/v1/namespaces', '/v1/pending', '/mcp'];
const EVIL = 'http://evil.example';

describe('a page of somebody else, in the browser of a person who runs `holdfast dev`,', () => {
  if (platform() !== 'linux') return void it.skip('(ports are looked up in /proc: Linux only)', () => undefined);

  let dev: Dev;
  let health: number;
  let metrics: number;
  beforeAll(async () => {
    [health, metrics] = [await freePort(), await freePort()];
    const ports = { HOLDFAST_HEALTH_PORT: String(health), HOLDFAST_METRICS_PORT: String(metrics) };
    dev = await startDev(['--ui-port', '0'], ports, { headless: false });
  });
  afterAll(() => dev?.stop());

  const ui = () => ({ host: '127.0.0.1', port: Number(new URL(dev.facts.ui_url!).port) });
  const gateway = () => ({ host: '127.0.0.1', port: Number(new URL(dev.facts.http_url).port) });
  const chain = () => ({ host: '127.0.0.1', port: Number(new URL(dev.facts.chain_url!).port) });
  /** All that the stack listens on: by a name of its own a page reaches what is on 127.0.0.1 or on every address. */
  const ports = () => listening(family(dev.child.pid!).map(({ pid }) => pid));
  const reached = () => ports().filter(({ host }) => ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host));
  const counters = async ({ host, port }: Listening) =>
    /^# HELP/m.test((await rawHttp({ host, port, path: '/metrics', headers: { host: `${host}:${port}` } })).body);

  it('learns nothing from any port under a host name of its own, except Temporal’s own counters', async () => {
    const [open, said] = [reached(), [] as { port: number; path: string; status: number; body: string }[]];
    expect(open.map(({ port }) => port)).toEqual(
      expect.arrayContaining([ui().port, gateway().port, chain().port, health, metrics]),
    );
    for (const { host, port } of open)
      for (const path of PATHS) {
        const { status, body } = await rawHttp({ host, port, path, headers: { host: `evil.example:${port}` } });
        if (status !== 0 && status !== 403 && status !== 404) said.push({ port, path, status, body });
      }
    const bare = said.filter(({ path, body }) => !(path === '/metrics' && body.includes('acquire_shards_count')));
    expect(bare.map(({ port, path, status }) => ({ port, path, status }))).toEqual([]);
    expect(said.length).toBeLessThanOrEqual(1); // its one port for counters, which cannot be switched off
  });

  it('finds servers without a check of their own only on addresses that it would have to guess', async () => {
    const hidden = ports().filter(({ host }) => host.startsWith('127.') && host !== '127.0.0.1');
    expect(new Set(hidden.map(({ host }) => host)).size).toBe(hidden.length);
    const open = reached();
    for (const { host, port } of open) expect(`${host}:${port}`).toMatch(/^127\.0\.0\.1:/);
    // The Web UI, the chain, and the worker's counters: each behind a port of ours.
    expect(hidden).toHaveLength(3);
    expect(await Promise.all(hidden.map(counters))).toContain(true);
  });

  it('gets no history and no CSRF token from the Web UI, and sends no signal; the Web UI itself does', async () => {
    const connection = await Connection.connect({ address: dev.facts.address });
    try {
      const { workflow } = new Client({ connection });
      const handle = await workflow.start('anything', { taskQueue: 'nobody', workflowId: 'waits' });
      const path = '/api/v1/namespaces/default/workflows/waits/signal/approve';
      /** As a page does it: a token first, then the signal. */
      const send = async (headers: Record<string, string>) => {
        const first = await rawHttp({ ...ui(), path: '/api/v1/namespaces/default/workflows/waits/history', headers });
        const token = /_csrf=([^;]+)/.exec(String(first.headers['set-cookie']))?.[1] ?? '';
        const body = JSON.stringify({ signalName: 'approve', workflowExecution: { workflowId: 'waits' } });
        const more = { 'content-type': 'application/json', 'x-csrf-token': token, cookie: `_csrf=${token}` };
        const length = { 'content-length': String(body.length) };
        const second = await rawHttp({ ...ui(), path, method: 'POST', body, headers: { ...headers, ...more, ...length } });
        return { history: first.body, token, statuses: [first.status, second.status] };
      };
      const own = `127.0.0.1:${ui().port}`;
      const foreign: Record<string, string>[] = [
        { host: `evil.example:${ui().port}`, origin: `http://evil.example:${ui().port}` },
        { host: `evil.example:${ui().port}` },
        { host: own, origin: EVIL },
        { host: own, origin: 'null' },
        { host: own, origin: 'http://localhost:3000' },
      ];
      for (const headers of foreign) {
        const { history, token, statuses } = await send(headers);
        expect({ headers, token, statuses }).toEqual({ headers, token: '', statuses: [403, 403] });
        expect(history).not.toContain('eventId');
      }
      expect((await handle.fetchHistory()).events).toHaveLength(2);
      const { history, statuses } = await send({ host: own, origin: `http://${own}` });
      expect(statuses).toEqual([200, 200]);
      expect(history).toContain('WORKFLOW_EXECUTION_STARTED');
      await eventually('the signal', async () => (await handle.fetchHistory()).events!.length === 3);
      await handle.terminate();
    } finally {
      await connection.close();
    }
  });

  it('is refused because of its Origin wherever it asks openly', async () => {
    const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const asked: Omit<RawRequest, 'headers'>[] = [
      ui(),
      { ...gateway(), path: '/healthz' },
      { ...gateway(), path: '/v1/pending' },
      { host: '127.0.0.1', port: health, path: '/healthz' },
      { host: '127.0.0.1', port: metrics, path: '/metrics' },
      { ...chain(), method: 'POST', body: rpc },
    ];
    for (const request of asked) {
      const own = { host: `localhost:${request.port}`, ...(request.body ? { 'content-type': 'application/json' } : {}) };
      const status = async (headers: Record<string, string>) => (await rawHttp({ ...request, headers })).status;
      expect({ request, status: await status({ ...own, origin: EVIL }) }).toEqual({ request, status: 403 });
      expect({ request, status: await status(own) }).toEqual({ request, status: request.path === '/v1/pending' ? 401 : 200 });
    }
  });

  it('gets nothing and sends no signal at any port, under the port’s own name and openly from elsewhere: not at Temporal’s HTTP port either', async () => {
    const connection = await Connection.connect({ address: dev.facts.address });
    try {
      const { workflow } = new Client({ connection });
      const handle = await workflow.start('anything', { taskQueue: 'nobody', workflowId: 'waits-too' });
      const signal = '/api/v1/namespaces/default/workflows/waits-too/signal/approve';
      const body = JSON.stringify({ signalName: 'approve', workflowExecution: { workflowId: 'waits-too' } });
      // Of a kind that a browser sends without asking first.
      const plain = { 'content-type': 'text/plain', 'content-length': String(body.length) };
      const got: { port: number; path: string; status: number; body: string }[] = [];
      for (const { host, port } of reached()) {
        const headers = { host: `${host}:${port}`, origin: EVIL };
        for (const path of [...PATHS, '/api/v1/namespaces/default/workflows/waits-too/history']) {
          const answer = await rawHttp({ host, port, path, headers });
          got.push({ port, path, status: answer.status, body: answer.body });
        }
        const sent = await rawHttp({ host, port, path: signal, method: 'POST', body, headers: { ...headers, ...plain } });
        got.push({ port, path: signal, status: sent.status, body: sent.body });
      }
      const let_in = got.filter(({ status }) => ![0, 403, 404].includes(status));
      const bare = let_in.filter(({ path, body: said }) => !(path === '/metrics' && said.includes('acquire_shards_count')));
      expect(bare.map(({ port, path, status }) => ({ port, path, status }))).toEqual([]);
      expect((await handle.fetchHistory()).events).toHaveLength(2);
      // Temporal's own HTTP API is among them, and speaks: it is no port that is not open.
      const api = got.filter(
        ({ path, status, body: said }) => path === '/api/v1/namespaces' && status === 403 && !said.includes('holdfast'),
      );
      expect(api.length).toBeGreaterThanOrEqual(1);
      await handle.terminate();
    } finally {
      await connection.close();
    }
  });
});
