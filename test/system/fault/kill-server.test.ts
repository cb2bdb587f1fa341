/**
 * `kill -9` of the Temporal server, which keeps its workflows in a file, at barriers of the test's own. The server comes back on
 * the same port over the same file; the worker has lived on, or has died too. One kill hits the turns of many rows.
 */
import { KillableServer } from '../support/fault-server';
import type { Gate } from '../support/fault-gates';
import {
  approve,
  closeRecordGate,
  hearing,
  isGone,
  memoWaits,
  openStage,
  recordedRuns,
  sceneOf,
  type Stage,
} from '../support/fault-stage';
import { CLEAN, endsAsExpected, printTable, type Expected, type SharedRow } from '../support/fault-table';

const IN_DOUBT: Expected = { ...CLEAN, doubt: true };

/** Where a row's turn stands, until it goes on. */
let asking: Gate, reading: Gate[], sending: Gate, sendingOn: Gate, told: Gate;
let digest: string;

const THE_WORKER_LIVES: SharedRow[] = [
  {
    name: 'during a model request',
    expected: CLEAN,
    reach: async (scene) => (asking = await toModelRequest(scene)),
    async goOn(scene) {
      asking.open();
      await approve(scene, await memoWaits(scene));
    },
  },
  {
    name: 'during a parallel read batch, two finished and two running',
    expected: CLEAN,
    reach: async (scene) => (reading = await twoRead(scene)),
    async goOn(scene) {
      reading.forEach((gate) => gate.open());
      await approve(scene, await memoWaits(scene));
    },
  },
  {
    name: 'while the call waits for approval',
    expected: CLEAN,
    async reach(scene) {
      await scene.begin();
      digest = await memoWaits(scene);
    },
    goOn: (scene) => approve(scene, digest),
  },
  {
    name: 'during the send, which ends while the server is back',
    expected: CLEAN,
    reach: async (scene) => (sending = await approvedTo(scene, 'rcpt')),
    goOn: async () => sending.open(),
  },
  {
    name: 'during the send, which ends while the server is dead',
    expected: CLEAN,
    async reach(scene) {
      sendingOn = scene.gates.close('rcpt');
      await scene.begin();
      told = await closeRecordGate(scene, 'after 1.2');
      await approve(scene, await memoWaits(scene));
      await sendingOn.reached();
    },
    async dead() {
      sendingOn.open();
      await told.reached();
      told.open();
    },
  },
];

const THE_WORKER_DIES: SharedRow[] = [
  {
    name: 'during a model request, and the worker with it',
    expected: { ...CLEAN, requests: 4 },
    reach: toModelRequest,
    goOn: async (scene) => approve(scene, await memoWaits(scene)),
  },
  {
    name: 'during a parallel read batch, and the worker with it',
    expected: { ...CLEAN, reads: '1 1 2 2' },
    reach: twoRead,
    goOn: async (scene) => approve(scene, await memoWaits(scene)),
  },
  {
    name: 'during the send, the message not handed over, and the worker with it',
    expected: { ...IN_DOUBT, call: 'failed not_applied', mails: 0 },
    settle: 'not_applied',
    reach: (scene) => approvedTo(scene, 'rcpt'),
  },
  {
    name: 'during the send, the message taken, and the worker with it',
    expected: { ...IN_DOUBT, mails: 1 },
    settle: 'applied',
    reach: (scene) => approvedTo(scene, 'answer'),
  },
];

jest.setTimeout(300_000);

describe('a Temporal server that is killed with -9', () => {
  let server: KillableServer;
  let stage: Stage;
  const scenes = new Map<string, Stage>();

  beforeAll(async () => {
    server = await KillableServer.start();
    stage = await openStage(server.address);
    await stage.startWorker();
  });

  afterAll(async () => {
    printTable('the server dies …', [...THE_WORKER_LIVES, ...THE_WORKER_DIES]);
    await stage.close();
    await server.close();
    expect(new Set(server.pids).size).toBe(3);
    expect(server.pids.every(isGone)).toBe(true);
    expect(stage.workers.every((worker) => worker.isGone())).toBe(true);
  });

  /** All of them stand at their barriers, and the server dies and comes back. */
  const killedDuring = (rows: SharedRow[], besides: () => Promise<void>) =>
    hearing(stage, async () => {
      for (const { name } of rows) scenes.set(name, sceneOf(stage, `row${scenes.size + 1}`));
      await Promise.all(rows.map((row) => row.reach(scenes.get(row.name)!)));
      await server.kill();
      for (const row of rows) await row.dead?.(scenes.get(row.name)!);
      await besides();
      await server.up();
      await stage.reconnect();
    });

  const ends = (rows: SharedRow[]) =>
    it.each(rows.map((row) => [row.name, row] as const))('%s', (_name, row) =>
      hearing(stage, async () => {
        const scene = scenes.get(row.name)!;
        await row.goOn?.(scene);
        await endsAsExpected(row, scene);
      }),
    );

  describe('while the worker lives on', () => {
    beforeAll(() => killedDuring(THE_WORKER_LIVES, async () => undefined));

    ends(THE_WORKER_LIVES);

    afterAll(() => {
      expect(stage.workers).toHaveLength(1);
      expect(stage.workers[0]!.how).toBeUndefined();
    });
  });

  describe('and the worker with it', () => {
    beforeAll(async () => {
      await killedDuring(THE_WORKER_DIES, async () => expect(await stage.workers[0]!.kill()).toBe('SIGKILL'));
      await stage.startWorker();
    });

    ends(THE_WORKER_DIES);
  });
});

async function toModelRequest(scene: Stage): Promise<Gate> {
  const gate = scene.gates.close('model 2');
  await scene.begin();
  await gate.reached();
  return gate;
}

async function twoRead(scene: Stage): Promise<Gate[]> {
  const running = [scene.gates.close('read c'), scene.gates.close('read d')];
  await scene.begin();
  await Promise.all(running.map((gate) => gate.reached()));
  await recordedRuns(scene, 'runCall', 2);
  return running;
}

async function approvedTo(scene: Stage, point: string): Promise<Gate> {
  const gate = scene.gates.close(point);
  await scene.begin();
  await approve(scene, await memoWaits(scene));
  await gate.reached();
  return gate;
}
