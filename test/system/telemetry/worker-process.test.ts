/** A real worker process, seen from outside: its metrics, its readiness, its log. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, testAddress } from '../../engine/support/engine';
import { startWire, type Wire } from '../support/fault-servers';
import { openStage, type Stage, type WorkerProcess } from '../support/fault-stage';
import { freePort } from '../../support/free-port';

describe('a worker process', () => {
  let stage: Stage;
  let wire: Wire;
  let worker: WorkerProcess;
  let ports: { metrics: string; health: string };
  beforeAll(async () => {
    stage = await openStage(testAddress());
    wire = await startWire(testAddress());
    ports = { metrics: String(await freePort()), health: String(await freePort()) };
    worker = await stage.startWorker(wire.address, {
      HOLDFAST_METRICS_PORT: ports.metrics,
      HOLDFAST_HEALTH_PORT: ports.health,
      HOLDFAST_MAX_CACHED_WORKFLOWS: '2',
      HOLDFAST_LOG_LEVEL: 'info',
    });
  });
  afterAll(async () => {
    await stage?.close();
    await wire?.close();
  });
  const metrics = async () => (await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text()).split('\n');

  it('serves metrics during a turn, with the slots in use by task queue', async () => {
    const read = stage.gates.close('read c');
    const turn = await stage.begin();
    await read.reached();
    const used = (await metrics()).find((line) => /^temporal_worker_task_slots_used\{.*worker_type="ActivityWorker"/.test(line));
    expect(used).toContain(`task_queue="${stage.taskQueue}"`);
    expect(Number(used!.split(' ').at(-1))).toBeGreaterThanOrEqual(1);
    read.open();
    await turn.waitForPending();
  });

  it('serves the counters of turns before anything was counted', async () => {
    const zeros = (await metrics()).filter((line) => line.endsWith(' 0'));
    for (const begin of [
      'decisions_total{.*decision="expired"',
      'turns_ended_total{.*state="failed"',
      'calls_in_doubt_total{.*tool="',
    ])
      expect(zeros).toContainEqual(expect.stringMatching(`^holdfast_${begin}`));
  });

  it('keeps no more turns in memory than HOLDFAST_MAX_CACHED_WORKFLOWS says, and all of them wait on', async () => {
    const turns = [await stage.begin(), await stage.begin(), await stage.begin(), await stage.begin()];
    for (const turn of turns) await turn.waitForPending();
    const kept = async () => {
      const lines = (await metrics()).filter((line) => line.startsWith('temporal_sticky_cache_size{'));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    await eventually('two are kept', async () => (await kept()) === 2);
    for (const turn of turns) expect(await turn.pending()).toHaveLength(1);
  });

  it('logs a workflow task that fails at error, with what to do', async () => {
    const said = worker.logs('Failing workflow task');
    const { workflow } = stage.client.temporal;
    const handle = await workflow.start('no_such_workflow', {
      taskQueue: stage.taskQueue,
      workflowId: `turn/${stage.taskQueue}`,
    });
    await said;
    await handle.terminate();
    const event = await eventually('the whole line', async () => worker.lastEvent('Failing workflow task'));
    expect(event).toMatchObject({
      level: 'error',
      temporal: 'core',
      run_id: handle.firstExecutionRunId,
      todo: expect.any(String),
    });
    expect(JSON.stringify(event)).toContain('no_such_workflow');
  });

  it('does not start on an address that is taken, and names the setting', async () => {
    for (const [name, port] of [
      ['HOLDFAST_HEALTH_PORT', ports.health],
      ['HOLDFAST_METRICS_PORT', ports.metrics],
    ] as const)
      await expect(stage.startWorker(undefined, { [name]: port })).rejects.toThrow(
        new RegExp(`cannot be served at 127.0.0.1:${port}.*${name}`),
      );
  });

  it('is not ready while the store or Temporal is gone, says which and what to do, and then is ready again by itself', async () => {
    const url = `http://127.0.0.1:${ports.health}`;
    const ready = async () => {
      const answer = await fetch(`${url}/readyz`);
      const { checks } = (await answer.json()) as { checks: { check: string; ok: boolean; todo?: string }[] };
      return { status: answer.status, failed: checks.filter(({ ok }) => !ok) };
    };
    const becomes = (status: number, ...failed: string[]) =>
      eventually(`${status} ${failed.join()}`, async () => {
        const seen = await ready();
        return seen.status === status && seen.failed.map(({ check }) => check).join() === failed.join() && seen;
      });
    await becomes(200);

    const [store, away] = [join(stage.home, 'store'), join(stage.home, 'away')];
    await rename(store, away);
    expect((await becomes(503, 'store')).failed[0]!.todo).toMatch(/cannot be written/);
    await rename(away, store);
    await becomes(200);

    await wire.close();
    expect((await becomes(503, 'temporal')).failed[0]!.todo).toMatch(/No answer from/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    wire = await startWire(testAddress(), Number(wire.address.split(':')[1]));
    await becomes(200);
  });
});

it("a worker has the turn's trace on Temporal's own lines about its workflow", async () => {
  const stage = await openStage(testAddress());
  try {
    const worker = await stage.startWorker(undefined, { HOLDFAST_LOG_LEVEL: 'debug' });
    const said = worker.logs('Workflow started');
    const turn = await stage.begin();
    await said;
    const event = await eventually('the whole line', async () => worker.lastEvent('Workflow started'));
    expect(event).toMatchObject({ turn_id: turn.id, trace_id: (await turn.status()).trace_id });
  } finally {
    await stage.close();
  }
});
