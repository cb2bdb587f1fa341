/** A schedule while Temporal and the worker are gone: what was due meanwhile fires when they are back, each time once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../engine/support/engine';
import { KillableServer } from '../support/fault-server';
import { openStage, type Stage } from '../support/fault-stage';

const EVERY_MS = 2000;
const OUTAGE_MS = 5 * EVERY_MS;
const NAME = 'watch';

let server: KillableServer;
let stage: Stage;
beforeAll(async () => {
  server = await KillableServer.start();
  stage = await openStage(server.address, { answer: () => ({ content: [{ type: 'text', text: 'Nothing new.' }] }) });
});
afterAll(async () => {
  await stage?.close();
  await server?.close();
});

/** The times of the schedule's turns that have completed, ms since 1970, in order. */
async function fired(): Promise<number[]> {
  const times: number[] = [];
  for await (const { workflowId } of stage.client.temporal.workflow.list({
    query: `TaskQueue = '${stage.taskQueue}' AND ExecutionStatus = 'Completed'`,
  })) {
    const time = /^turn\/watch-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(workflowId);
    if (time) times.push(Date.parse(`${time.slice(1, 4).join('-')}T${time.slice(4).join(':')}Z`));
  }
  return times.sort((a, b) => a - b);
}

const firedMoreThan = (count: number) =>
  eventually(`more than ${count} turns have completed`, async () => {
    const times = await fired().catch(() => []);
    return times.length > count && times;
  });

test('each time that was due in an outage fires once when Temporal is back, and the turns run when a worker is', async () => {
  const worker = await stage.startWorker();
  const schedule = { name: NAME, every: '2s', agent: 'memo', message: 'Look.', overlap: 'allow_all' as const, catchup: '10m' };
  await stage.client.schedules.create(schedule);
  const before = await firedMoreThan(1);

  expect(await worker.kill()).toBe('SIGKILL');
  await server.kill();
  await sleep(OUTAGE_MS);
  await server.up();
  await stage.reconnect();
  await stage.startWorker();

  const missed = before.at(-1)! + OUTAGE_MS;
  await eventually('the schedule has caught up', async () => (await fired().catch(() => [])).at(-1)! > missed);
  await stage.client.schedules.pause(NAME, 'The test ends.');
  const times = await eventually('all that it has taken have completed', async () => {
    const all = await fired().catch(() => []);
    return all.length === (await stage.client.schedules.show(NAME)).taken && all;
  });

  expect(times).toEqual(Array.from({ length: times.length }, (_, index) => times[0]! + index * EVERY_MS));
  expect(times.length).toBeGreaterThan(before.length + OUTAGE_MS / EVERY_MS);
});
