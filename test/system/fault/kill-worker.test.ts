/**
 * `kill -9` of the worker process, at barriers of the test's own. Each row states the expected outcome beforehand; then a
 * fresh worker over the same store goes on, and must reach it. One kill hits the turns of many rows, each at a barrier of
 * its own; the rows after them need a kill that hits no other turn. Each worker goes on with what the one before it has
 * left, and is then killed next.
 */
import { eventually, testAddress } from '../../engine/support/engine';
import { startWire, type Wire } from '../support/fault-servers';
import {
  approve,
  closeRecordGate,
  hearing,
  memoWaits,
  openStage,
  reachesState,
  recorded,
  recordedRuns,
  sceneOf,
  type Stage,
  type WorkerProcess,
} from '../support/fault-stage';
import { CLEAN, endsAsExpected, printTable, type Expected, type Row, type SharedRow } from '../support/fault-table';

const IN_DOUBT: Expected = { ...CLEAN, doubt: true };

let digestBefore: string;

const AT_ONCE: SharedRow[] = [
  {
    name: 'during a model request',
    expected: { ...CLEAN, requests: 4 },
    async reach(scene) {
      const asked = scene.gates.close('model 2');
      await scene.begin();
      await asked.reached();
    },
    goOn: approveMemo,
  },
  {
    name: 'during a parallel read batch, two finished and two running',
    expected: { ...CLEAN, reads: '1 1 2 2' },
    async reach(scene) {
      const running = [scene.gates.close('read c'), scene.gates.close('read d')];
      await scene.begin();
      await Promise.all(running.map((gate) => gate.reached()));
      await recordedRuns(scene, 'runCall', 2);
    },
    goOn: approveMemo,
  },
  {
    name: 'while the call waits for approval',
    expected: CLEAN,
    reach: beginMemo,
    goOn: async (scene) => scene.turn.approve(await memoWaits(scene), { by: 'ana' }),
  },
  {
    name: 'before the approval, which comes while no worker lives',
    expected: CLEAN,
    reach: async (scene) => (digestBefore = await beginMemo(scene)),
    dead: (scene) => approve(scene, digestBefore),
  },
  {
    name: 'after the approval, before the claim',
    expected: CLEAN,
    reach: (scene) => approvedToRecord(scene, 'before 1.1'),
    dead: async ({ post }) => expect(post.mails).toEqual([]),
  },
  {
    name: 'after the claim, before the connection to the mail server',
    expected: { ...IN_DOUBT, call: 'failed not_applied', mails: 0 },
    settle: 'not_applied',
    reach: (scene) => approvedToRecord(scene, 'after 1.1'),
  },
  {
    name: 'during the send, before the message was handed over',
    expected: { ...IN_DOUBT, call: 'failed not_applied', mails: 0 },
    settle: 'not_applied',
    reach: (scene) => approvedTo(scene, 'rcpt'),
  },
  {
    name: 'during the send, the message taken and the answer never given',
    expected: { ...IN_DOUBT, mails: 1 },
    settle: 'applied',
    reach: (scene) => approvedTo(scene, 'answer'),
    dead: async ({ post }) => expect(post.mails).toHaveLength(1),
  },
  {
    name: 'after the send, before its outcome is recorded',
    expected: { ...IN_DOUBT, mails: 1 },
    settle: 'applied',
    reach: (scene) => approvedToRecord(scene, 'before 1.2'),
    dead: async ({ post }) => expect(post.mails).toHaveLength(1),
  },
  {
    name: 'after the outcome is recorded, before Temporal is told',
    expected: CLEAN,
    reach: (scene) => approvedToRecord(scene, 'after 1.2'),
    dead: async (scene) => expect((await recorded(scene)).completed.runCall).toBe(4), // the reads, and not the memo
  },
];

const BETWEEN_STEPS: Row = { name: 'between two steps', expected: CLEAN };
const CUT_OFF: Row = {
  name: 'not at all: it is cut off while it sends, and sends late; the person who settles has looked too early',
  expected: { ...IN_DOUBT, mails: 1 }, // the record wins over the person: the outcome is not "not applied"
  settle: 'not_applied',
};
const STANDS_STILL: Row = {
  name: 'not at all: it hangs before the claim, is given up, and wakes up afterwards',
  expected: CLEAN,
};

jest.setTimeout(300_000);

describe('a worker that is killed with -9', () => {
  let stage: Stage;
  let wire: Wire;
  /** The one that serves the turns now. */
  let worker: WorkerProcess;
  const scenes = new Map<string, Stage>();

  const sceneFor = ({ name }: Row) => {
    scenes.set(name, sceneOf(stage, `row${scenes.size + 1}`));
    return scenes.get(name)!;
  };
  const died = async () => {
    expect(await worker.kill()).toBe('SIGKILL');
    expect(worker.isGone()).toBe(true);
  };
  const replace = async (address?: string) => (worker = await stage.startWorker(address));

  beforeAll(async () => {
    stage = await openStage(testAddress());
    wire = await startWire(testAddress());
    await hearing(stage, async () => {
      await replace();
      await Promise.all(AT_ONCE.map((row) => row.reach(sceneFor(row))));
      await died();
      for (const row of AT_ONCE) await row.dead?.(scenes.get(row.name)!);
      await replace(wire.address);
    });
  });

  afterAll(async () => {
    printTable('the worker dies …', [...AT_ONCE, BETWEEN_STEPS, CUT_OFF, STANDS_STILL]);
    await stage.close();
    await wire.close();
    expect(stage.workers).toHaveLength(5);
    expect(stage.workers.every((one) => one.isGone())).toBe(true);
  });

  it.each(AT_ONCE.map((row) => [row.name, row] as const))('%s', (_name, row) =>
    hearing(stage, async () => {
      const scene = scenes.get(row.name)!;
      await row.goOn?.(scene);
      await endsAsExpected(row, scene);
      const bothHadTheirPart = new Set(stage.workers.map(({ pid }) => pid));
      expect((await recorded(scene)).pids).toEqual(bothHadTheirPart);
    }),
  );

  it(BETWEEN_STEPS.name, () =>
    hearing(stage, async () => {
      const scene = sceneFor(BETWEEN_STEPS);
      const last = scene.gates.close('read d');
      await scene.begin();
      await last.reached();
      await recordedRuns(scene, 'runCall', 3);
      wire.deafen(); // it still reports its last read, and never learns that the next step is due
      last.open();
      await recordedRuns(scene, 'runCall', 4);
      const deaf = worker;
      await died();
      expect((await recorded(scene)).scheduled.takeStep).toBe(1);
      await wire.close();
      wire = await startWire(testAddress());
      await replace(wire.address);
      await approveMemo(scene);
      await endsAsExpected(BETWEEN_STEPS, scene);
      expect((await recorded(scene)).pids).toEqual(new Set([deaf.pid, worker.pid]));
    }),
  );

  it(CUT_OFF.name, () =>
    hearing(stage, async () => {
      const scene = sceneFor(CUT_OFF);
      const sending = scene.gates.close('rcpt');
      await beginMemo(scene);
      const late = await closeRecordGate(scene, 'after 1.3'); // 1 claimed, 2 in doubt, 3 applied
      await approveMemo(scene);
      await sending.reached();
      const cutOff = worker;
      await wire.close();
      await replace();
      await reachesState(scene, 'in_doubt');
      sending.open();
      await late.reached();
      await endsAsExpected(CUT_OFF, scene);
      await cutOff.kill();
    }),
  );

  it(STANDS_STILL.name, () =>
    hearing(stage, async () => {
      const scene = sceneFor(STANDS_STILL);
      await beginMemo(scene);
      const claim = await closeRecordGate(scene, 'before 1.1');
      await approveMemo(scene);
      await claim.reached();
      const still = worker;
      still.signal('SIGSTOP');
      await replace();
      // The server may hand tasks to the worker that stands still; each of them has to run out first.
      await eventually('the next dispatch has sent the mail', async () => scene.post.mails.length === 1, 240_000);
      claim.open();
      still.signal('SIGCONT');
      expect(await still.stop()).toBe('0'); // an orderly end: what it still had to do, it has done
      await endsAsExpected(STANDS_STILL, scene);
    }),
  );
});

/** Begins the turn, and gives the digest of its memo, which waits. */
async function beginMemo(scene: Stage): Promise<string> {
  await scene.begin();
  return memoWaits(scene);
}

async function approveMemo(scene: Stage): Promise<void> {
  await approve(scene, await memoWaits(scene));
}

/** Brings the approved memo to a gate of the mail server, and leaves it standing there. */
async function approvedTo(scene: Stage, point: string): Promise<void> {
  const gate = scene.gates.close(point);
  await beginMemo(scene);
  await approveMemo(scene);
  await gate.reached();
}

/** The same at a gate of its effect record. */
async function approvedToRecord(scene: Stage, point: string): Promise<void> {
  await beginMemo(scene);
  const gate = await closeRecordGate(scene, point);
  await approveMemo(scene);
  await gate.reached();
}
