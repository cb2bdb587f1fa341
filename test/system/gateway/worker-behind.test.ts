/** A worker that is there but does not answer in time gives another error than no worker. It is a process, so that it can be stopped. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HoldfastClient } from '../../../src/client';
import { loadConfig } from '../../../src/config';
import { gatewayParts, serveGateway } from '../../../src/gateway/serve';
import { eventually, testAddress } from '../../engine/support/engine';
import { person } from '../../support/gateway';
import { silent } from '../../support/silent';
import app from '../cli/fixtures/call.app';
import { holdfast } from '../support/process';

const APP = join(__dirname, '../cli/fixtures/call.app.ts');
const rita = person('rita', 'starter', 'approver');

it('a worker that is behind gives 503 worker_behind and when to ask again; where no worker polls it is no_worker', async () => {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-behind-'));
  const queue = (kind: string) => ({
    TEMPORAL_ADDRESS: testAddress(),
    HOLDFAST_TASK_QUEUE: `behind-${kind}-${randomBytes(6).toString('hex')}`,
    HOLDFAST_TOKENS: JSON.stringify([rita.entry]),
    HOLDFAST_LOG_LEVEL: 'error',
  });
  const [served, deserted] = [queue('served'), queue('deserted')];
  const worker = holdfast(home, ['worker', '--app', APP], served);
  const gateways = await Promise.all(
    [served, deserted].map(async (env) => {
      const config = loadConfig({ HOLDFAST_HOME: home, ...env });
      const connect = () => HoldfastClient.connect(config);
      const parts = await gatewayParts(config, { log: silent, app: async () => app, connect });
      const { url, close } = await serveGateway(parts, { host: '127.0.0.1', port: 0 });
      return { url, close: () => close().then(parts.close) };
    }),
  );
  try {
    const urls = gateways.map(({ url }) => url);
    await worker.printed(/task queue/);
    const ask = async (url: string, body?: object) => {
      const headers = { ...rita.headers, ...(body ? { 'content-type': 'application/json' } : {}) };
      const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
      const response = await fetch(url, sent);
      return { status: response.status, body: (await response.json()) as any, retryAfter: response.headers.get('retry-after') };
    };
    const { status, body: call } = await ask(`${urls[0]}/tools/pay`, { input: { size: 7 } });
    expect(status).toBe(202);
    const started = await ask(`${urls[1]}/v1/turns`, { agent: 'tester', message: 'Hello.' });
    const ours = ({ body }: { body: any }) => body.turns.find((turn: any) => turn.turn_id === call.call_id);
    await eventually('it is listed', async () => ours(await ask(`${urls[0]}/v1/pending`)) !== undefined);

    process.kill(worker.pid, 'SIGSTOP');
    const [behind, pending, nobody] = await Promise.all([
      ask(urls[0] + call.view_url),
      ask(`${urls[0]}/v1/pending`),
      ask(`${urls[1]}/v1/turns/${started.body.turn_id}`),
    ]);
    expect(behind).toMatchObject({ status: 503, retryAfter: '5', body: { error: { reason: 'worker_behind', retryable: true } } });
    expect(behind.body.error.message).toMatch(/A worker polled \d+ s ago: it is overloaded, or has just ended/);
    expect(ours(pending)?.unreachable).toMatch(/it is overloaded/);
    expect(nobody).toMatchObject({ status: 503, retryAfter: null, body: { error: { reason: 'no_worker' } } });

    process.kill(worker.pid, 'SIGCONT');
    expect(await ask(urls[0] + call.view_url)).toMatchObject({ status: 200, body: { state: 'awaiting_approval' } });
  } finally {
    process.kill(worker.pid, 'SIGCONT');
    await Promise.all([worker.stop(), ...gateways.map(({ close }) => close())]);
    await rm(home, { recursive: true, force: true });
  }
});
