/** `kill -9` of the worker while a turn sleeps: the turn wakes once, at the time that it was to sleep until. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import { startDevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { startRehearsal, type ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { dataConverter } from '../../../src/temporal/data-converter';
import { eventually } from '../../engine/support/engine';
import { onceAnswered, WorkerProcess } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/wait.app.ts');
const SLEEPS_MS = 60_000;

/** What the model has been told so far. */
const results = (body: JsonObject) =>
  (body.messages as { content: JsonObject[] }[]).flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result');

it('a turn that sleeps while its worker is killed wakes once, at its time', async () => {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-kill-asleep-'));
  const told: JsonObject[][] = [];
  const input = { after: `${SLEEPS_MS / 1000}s`, reason: 'It settles.' };
  const script = Array.from({ length: 4 }, () => (body: JsonObject): ScriptedResponse => {
    told.push(results(body));
    if (results(body).length > 0) return { content: [{ type: 'text', text: 'It has settled.' }] };
    return { content: [{ type: 'tool_use', name: 'wait_until', input }] };
  });
  const { path } = await findTemporalCli();
  const server = await startDevServer({ cli: path, port: 0, headless: true });
  const model = await startRehearsal({ script });
  const taskQueue = `kill-asleep-${randomBytes(6).toString('hex')}`;
  const env = {
    HOLDFAST_HOME: home,
    HOLDFAST_TASK_QUEUE: taskQueue,
    HOLDFAST_MODEL: 'anthropic',
    HOLDFAST_LOG_LEVEL: 'error',
    ANTHROPIC_API_KEY: 'no-key-at-all',
    ANTHROPIC_BASE_URL: model.baseUrl,
    TEMPORAL_ADDRESS: server.address,
  };
  const workers: WorkerProcess[] = [];
  const work = async () => {
    const worker = new WorkerProcess(env, APP);
    workers.push(worker);
    await worker.ready;
    return worker;
  };
  const connection = await Connection.connect({ address: server.address });
  const client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null });
  try {
    const first = await work();
    const turn = await client.start({ agent: 'waiter', message: 'Wait for it.', requester: 'rita' });
    const asleep = async () => (await turn.status()).sleep;
    const { until } = (await eventually('it sleeps', asleep))!;
    process.kill(first.pid, 'SIGKILL');
    expect(await first.ended).toBe('SIGKILL');

    const second = await work();
    expect(await onceAnswered(() => turn.status())).toMatchObject({ state: 'sleeping', sleep: { until } });
    process.kill(second.pid, 'SIGKILL');
    await second.ended;
    await work();
    expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ tool: 'wait_until', state: 'succeeded' }] });
    expect(told.map((one) => one.length)).toEqual([0, 1]);
    expect(JSON.stringify(told[1])).toContain('time');
    const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
    const timers = events!.filter(({ timerStartedEventAttributes: started }) => started);
    const fired = events!.filter(({ timerFiredEventAttributes: done }) => done);
    expect([timers.length, fired.length]).toEqual([1, 1]);
    expect(Number(fired[0]!.eventTime!.seconds!)).toBeGreaterThanOrEqual(Math.floor(Date.parse(until) / 1000));
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await Promise.all([client.close(), model.close()]);
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
}, 400_000);
