/** `kill -9` of the gateway in the middle of a stream: another one goes on where the reader was, over the turn's runs. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import { dataConverter } from '../../../src/temporal/data-converter';
import { startDevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { startRehearsal, type ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { startCuttingProxy } from '../support/cutting-proxy';
import { readEvents } from '../support/event-reader';
import { WorkerProcess } from '../support/fault-stage';
import { Gates } from '../support/fault-gates';
import { person } from '../../support/gateway';
import { holdfast } from '../support/process';

const APP = join(__dirname, 'fixtures/session.app.ts');
const LOOKS = 12;
const HELD = 5;

/** The number of calls whose results it has. */
const seen = (body: JsonObject) =>
  (body.messages as { content: JsonObject[] }[]).flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result')
    .length;

function answer(body: JsonObject): ScriptedResponse {
  const looks = seen(body);
  if (looks === LOOKS) return { content: [{ type: 'text', text: 'All looked up.' }] };
  return { content: [{ type: 'tool_use', name: 'look', input: { key: `k${looks}` } }] };
}

it('a gateway that is killed with -9 in the middle of a stream loses no event and doubles none: another one goes on', async () => {
  const rita = person('rita', 'starter');
  const home = await mkdtemp(join(tmpdir(), 'holdfast-kill-gateway-'));
  const gates = new Gates();
  const held = gates.close(`looked ${HELD}`);
  const { path } = await findTemporalCli();
  // So few that the turn goes on in other runs on the way.
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 40 };
  const server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
  const script = Array.from({ length: 100 }, () => answer);
  const model = await startRehearsal({ script, onRequest: (body) => gates.pass(`looked ${seen(body)}`) });
  const taskQueue = `kill-gateway-${randomBytes(6).toString('hex')}`;
  const env = {
    HOLDFAST_HOME: home,
    HOLDFAST_TASK_QUEUE: taskQueue,
    HOLDFAST_MODEL: 'anthropic',
    HOLDFAST_LOG_LEVEL: 'error',
    HOLDFAST_TOKENS: JSON.stringify([rita.entry]),
    ANTHROPIC_API_KEY: 'no-key-at-all',
    ANTHROPIC_BASE_URL: model.baseUrl,
    TEMPORAL_ADDRESS: server.address,
  };
  const gateway = async () => {
    const process = holdfast(home, ['gateway', '--http-port', '0'], env);
    const [, url] = await process.printed(/(http:\/\/127\.0\.0\.1:\d+);/, 120_000);
    return { process, url: url! };
  };
  const worker = new WorkerProcess(env, APP);
  const connection = await Connection.connect({ address: server.address });
  const client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null });
  const first = await gateway();
  const second = await gateway();
  const proxy = await startCuttingProxy(first.url, 'never');
  try {
    await worker.ready;
    const turn = await client.start({ agent: 'talker', message: 'Look everything up.', requester: 'rita' });
    const reader = readEvents(`${proxy.url}/v1/turns/${turn.id}/events`, rita.headers);
    await held.reached();
    await reader.until(({ type, data }) => type === 'tool_result' && data.call === `${HELD}.1`);
    const before = reader.durable().length;
    process.kill(first.process.pid, 'SIGKILL');
    expect(await first.process.ended).toBe('SIGKILL');
    proxy.leadTo(second.url);
    held.open();
    expect(await reader.over).toBe(204);
    expect((await turn.result()).state).toBe('completed');

    const told = reader.durable();
    expect(before).toBeGreaterThan(0);
    expect(told.length).toBeGreaterThan(before);
    const whole = await (await fetch(`${second.url}/v1/turns/${turn.id}/events`, { headers: rita.headers })).text();
    const all = [...whole.matchAll(/event: (\w+)\nid: (\S+)\n/g)].map(([, type, id]) => `${id} ${type}`);
    expect(told.map(({ lastEventId, type }) => `${lastEventId} ${type}`)).toEqual(all);
    expect(told.map(({ data }) => data.seq)).toEqual(all.map((_, index) => index + 1));
    expect(told.filter(({ type }) => type === 'tool_result')).toHaveLength(LOOKS);
    const runs = new Set(told.map(({ lastEventId }) => lastEventId.split('-')[0]));
    expect(runs.size).toBeGreaterThanOrEqual(2);
  } finally {
    await proxy.close();
    await Promise.all([first.process.stop(), second.process.stop(), worker.kill()]);
    await Promise.all([client.close(), model.close()]);
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
}, 400_000);
