/** `kill -9` of worker and gateway while a question of the model waits: nothing is lost, and the answer counts once. */
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
import { person } from '../../support/gateway';
import { onceAnswered, WorkerProcess } from '../support/fault-stage';
import { holdfast } from '../support/process';

const APP = join(__dirname, 'fixtures/question.app.ts');
const which = { question: 'Which account shall pay the rent?', choices: ['operations', 'reserve'] };

/** What the model has been told so far. */
const results = (body: JsonObject) =>
  (body.messages as { content: JsonObject[] }[]).flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result');

it('a question outlives worker and gateway, and its answer reaches the model and the record once', async () => {
  const [rita, ana] = [person('rita', 'starter'), person('ana', 'approver')];
  const home = await mkdtemp(join(tmpdir(), 'holdfast-kill-question-'));
  const told: JsonObject[][] = [];
  const script = Array.from({ length: 4 }, () => (body: JsonObject): ScriptedResponse => {
    told.push(results(body));
    if (results(body).length > 0) return { content: [{ type: 'text', text: 'Paid.' }] };
    return { content: [{ type: 'tool_use', name: 'ask_person', input: which }] };
  });
  const { path } = await findTemporalCli();
  const server = await startDevServer({ cli: path, port: 0, headless: true });
  const model = await startRehearsal({ script });
  const taskQueue = `kill-question-${randomBytes(6).toString('hex')}`;
  const env = {
    HOLDFAST_HOME: home,
    HOLDFAST_TASK_QUEUE: taskQueue,
    HOLDFAST_MODEL: 'anthropic',
    HOLDFAST_LOG_LEVEL: 'error',
    HOLDFAST_TOKENS: JSON.stringify([rita.entry, ana.entry]),
    ANTHROPIC_API_KEY: 'no-key-at-all',
    ANTHROPIC_BASE_URL: model.baseUrl,
    TEMPORAL_ADDRESS: server.address,
  };
  const workers: WorkerProcess[] = [];
  const gateways: ReturnType<typeof holdfast>[] = [];
  const work = async () => {
    const worker = new WorkerProcess(env, APP);
    workers.push(worker);
    await worker.ready;
    return worker;
  };
  const serve = async () => {
    const gateway = holdfast(home, ['gateway', '--http-port', '0'], env);
    gateways.push(gateway);
    const [, url] = await gateway.printed(/(http:\/\/127\.0\.0\.1:\d+);/, 120_000);
    return { gateway, url: url! };
  };
  const connection = await Connection.connect({ address: server.address });
  const client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null });
  try {
    const [firstWorker, first] = [await work(), await serve()];
    const started = await fetch(`${first.url}/v1/turns`, {
      method: 'POST',
      headers: { ...rita.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'asker', message: 'Pay the rent.' }),
    });
    const { turn_id } = (await started.json()) as { turn_id: string };
    const turn = client.turn(turn_id);
    const [{ digest }] = await turn.waitForPending();
    process.kill(firstWorker.pid, 'SIGKILL');
    process.kill(first.gateway.pid, 'SIGKILL');
    expect([await firstWorker.ended, await first.gateway.ended]).toEqual(['SIGKILL', 'SIGKILL']);

    const [secondWorker, { url }] = [await work(), await serve()];
    const answer = () =>
      fetch(`${url}/v1/turns/${turn_id}/answers`, {
        method: 'POST',
        headers: { ...ana.headers, 'content-type': 'application/json', 'idempotency-key': 'the-answer' },
        body: JSON.stringify({ call: digest, value: 'reserve' }),
      });
    expect(await onceAnswered(() => turn.status())).toMatchObject({ state: 'awaiting_answer', pending: [digest] });
    expect((await answer()).status).toBe(200);
    process.kill(secondWorker.pid, 'SIGKILL');
    await secondWorker.ended;
    await work();
    const view = await turn.result();
    expect(view).toMatchObject({ state: 'completed', calls: [{ tool: 'ask_person', state: 'succeeded' }] });
    expect((await answer()).status).toBe(200); // the same request, answered as before

    expect((await turn.status()).calls[0]!.approval.decisions).toMatchObject([{ decision: 'answer', by: 'ana' }]);
    const last = await eventually('the model is told', async () => told.find((one) => one.length > 0));
    expect(last).toHaveLength(1);
    expect(JSON.stringify(last)).toContain('reserve');
    const events = await (await fetch(`${url}/v1/turns/${turn_id}/events`, { headers: rita.headers })).text();
    expect(events.match(/^event: question_asked$/gm)).toHaveLength(1);
    expect(events.match(/^event: question_answered$/gm)).toHaveLength(1);
  } finally {
    await Promise.all([...gateways.map((gateway) => gateway.stop()), ...workers.map((worker) => worker.kill())]);
    await Promise.all([client.close(), model.close()]);
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
}, 400_000);
