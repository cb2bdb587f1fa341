/**
 * `kill -9` of the Temporal server, which keeps its workflows in a file, at barriers of the test's own.
 * The server comes back on the same port over the same file; the worker has lived on, or has died too.
 */
import { KillableServer } from '../support/fault-server';
import { approve, isGone, memoWaits, openStage, recordedRuns, type Stage } from '../support/fault-stage';
import { CLEAN, limited, note, outcomeOf, printTable, Turnstile, type Expected, type Row } from '../support/fault-table';

const IN_DOUBT: Expected = { ...CLEAN, doubt: true };
const AT_ONCE = 2;

interface ServerRow extends Omit<Row, 'play'> {
  play(stage: Stage, server: KillableServer): Promise<void>;
}

const ROWS: ServerRow[] = [
  {
    name: 'during a model request',
    expected: CLEAN,
    async play(stage, server) {
      const asked = stage.gates.close('model 2');
      await begun(stage);
      await asked.reached();
      await diedAndCameBack(stage, server);
      asked.open();
      await approve(stage, await memoWaits(stage));
    },
  },
  {
    name: 'during a model request, and the worker with it',
    expected: { ...CLEAN, requests: 4 },
    async play(stage, server) {
      const asked = stage.gates.close('model 2');
      await begun(stage);
      await asked.reached();
      await bothDiedAndCameBack(stage, server);
      await approve(stage, await memoWaits(stage));
    },
  },
  {
    name: 'during a parallel read batch, two finished and two running',
    expected: CLEAN,
    async play(stage, server) {
      const running = await twoRead(stage);
      await diedAndCameBack(stage, server);
      running.forEach((gate) => gate.open());
      await approve(stage, await memoWaits(stage));
    },
  },
  {
    name: 'during a parallel read batch, and the worker with it',
    expected: { ...CLEAN, reads: '1 1 2 2' },
    async play(stage, server) {
      await twoRead(stage);
      await bothDiedAndCameBack(stage, server);
      await approve(stage, await memoWaits(stage));
    },
  },
  {
    name: 'while the call waits for approval',
    expected: CLEAN,
    async play(stage, server) {
      await begun(stage);
      const digest = await memoWaits(stage);
      await diedAndCameBack(stage, server);
      await approve(stage, digest);
    },
  },
  {
    name: 'during the send, which ends while the server is back',
    expected: CLEAN,
    async play(stage, server) {
      const sending = await approvedTo(stage, 'rcpt');
      await diedAndCameBack(stage, server);
      sending.open();
    },
  },
  {
    name: 'during the send, which ends while the server is dead',
    expected: CLEAN,
    async play(stage, server) {
      const sending = await approvedTo(stage, 'rcpt');
      const told = stage.gates.close('after 1.2');
      await server.kill();
      sending.open();
      await told.reached();
      told.open();
      await cameBack(stage, server);
    },
  },
  {
    name: 'during the send, the message not handed over, and the worker with it',
    expected: { ...IN_DOUBT, call: 'failed not_applied', mails: 0 },
    settle: 'not_applied',
    async play(stage, server) {
      await approvedTo(stage, 'rcpt');
      await bothDiedAndCameBack(stage, server);
    },
  },
  {
    name: 'during the send, the message taken, and the worker with it',
    expected: { ...IN_DOUBT, mails: 1 },
    settle: 'applied',
    async play(stage, server) {
      await approvedTo(stage, 'answer');
      await bothDiedAndCameBack(stage, server);
    },
  },
];

describe('a Temporal server that is killed with -9', () => {
  const turnstile = new Turnstile(AT_ONCE);
  for (const row of ROWS) it.concurrent(row.name, () => turnstile.run(() => check(row)), 600_000);
  afterAll(() => printTable('the server dies …', ROWS));
});

async function check(row: ServerRow): Promise<void> {
  const began = Date.now();
  const server = await KillableServer.start();
  const stage = await openStage(server.address);
  try {
    const seen = await limited(async () => {
      await row.play(stage, server);
      return outcomeOf(stage, row.settle);
    });
    note(row, seen, began);
    expect(seen).toEqual(row.expected);
  } catch (error) {
    throw new Error(`${String(error)}\nThe workers said:\n${stage.workers.map((worker) => worker.output).join('\n')}`, {
      cause: error,
    });
  } finally {
    await stage.close();
    await server.close();
  }
  expect(new Set(server.pids).size).toBe(2);
  expect(server.pids.every(isGone)).toBe(true);
  expect(stage.workers.every((worker) => worker.isGone())).toBe(true);
}

async function begun(stage: Stage): Promise<void> {
  await stage.startWorker();
  await stage.begin();
}

async function twoRead(stage: Stage) {
  const running = [stage.gates.close('read c'), stage.gates.close('read d')];
  await begun(stage);
  await Promise.all(running.map((gate) => gate.reached()));
  await recordedRuns(stage, 'runCall', 2);
  return running;
}

async function approvedTo(stage: Stage, point: string) {
  const gate = stage.gates.close(point);
  await begun(stage);
  await approve(stage, await memoWaits(stage));
  await gate.reached();
  return gate;
}

async function cameBack(stage: Stage, server: KillableServer): Promise<void> {
  await server.up();
  await stage.reconnect();
}

/** The worker lives on, and is there when the server comes back. */
async function diedAndCameBack(stage: Stage, server: KillableServer): Promise<void> {
  await server.kill();
  await cameBack(stage, server);
  expect(stage.workers).toHaveLength(1);
  expect(stage.workers[0]!.how).toBeUndefined();
}

async function bothDiedAndCameBack(stage: Stage, server: KillableServer): Promise<void> {
  await server.kill();
  expect(await stage.workers[0]!.kill()).toBe('SIGKILL');
  await cameBack(stage, server);
  await stage.startWorker();
}
