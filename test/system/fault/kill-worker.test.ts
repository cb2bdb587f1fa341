/**
 * `kill -9` of the worker process, each time at a barrier of the test's own. What must come of it is
 * written down beforehand; then a fresh worker over the same store goes on, and it must come so.
 */
import { eventually, testAddress } from '../../engine/support/engine';
import { startWire } from '../support/fault-servers';
import {
  approve,
  memoWaits,
  openStage,
  reachesState,
  recorded,
  recordedRuns,
  type Stage,
  type WorkerProcess,
} from '../support/fault-stage';
import { CLEAN, note, outcomeOf, printTable, limited, Turnstile, type Expected, type Row } from '../support/fault-table';

const IN_DOUBT: Expected = { ...CLEAN, doubt: true };
/** Two cores: more at once would make heartbeats late, and with them the deaths. */
const AT_ONCE = 3;

const ROWS: Row[] = [
  {
    name: 'during a model request',
    expected: { ...CLEAN, requests: 4 },
    async play(stage) {
      const asked = stage.gates.close('model 2');
      const worker = await begun(stage);
      await asked.reached();
      await died(worker);
      await restarted(stage);
      await approve(stage, await memoWaits(stage));
    },
  },
  {
    name: 'between two steps',
    expected: CLEAN,
    async play(stage) {
      const wire = await startWire(testAddress());
      try {
        const last = stage.gates.close('read d');
        const worker = await begun(stage, wire.address);
        await last.reached();
        await recordedRuns(stage, 'runCall', 3);
        wire.deafen(); // it still reports its last read, and never learns that the next step is due
        last.open();
        await recordedRuns(stage, 'runCall', 4);
        await died(worker);
        expect((await recorded(stage)).scheduled.takeStep).toBe(1);
      } finally {
        await wire.close();
      }
      await restarted(stage);
      await approve(stage, await memoWaits(stage));
    },
  },
  {
    name: 'during a parallel read batch, two finished and two running',
    expected: { ...CLEAN, reads: '1 1 2 2' },
    async play(stage) {
      const running = [stage.gates.close('read c'), stage.gates.close('read d')];
      const worker = await begun(stage);
      await Promise.all(running.map((gate) => gate.reached()));
      await recordedRuns(stage, 'runCall', 2);
      await died(worker);
      await restarted(stage);
      await approve(stage, await memoWaits(stage));
    },
  },
  {
    name: 'while the call waits for approval',
    expected: CLEAN,
    async play(stage) {
      const worker = await begun(stage);
      const digest = await memoWaits(stage);
      await died(worker);
      await restarted(stage);
      await stage.turn.approve(digest, { by: 'ana' });
    },
  },
  {
    name: 'before the approval, which comes while no worker lives',
    expected: CLEAN,
    async play(stage) {
      const worker = await begun(stage);
      const digest = await memoWaits(stage);
      await died(worker);
      await approve(stage, digest);
      await restarted(stage);
    },
  },
  {
    name: 'after the approval, before the claim',
    expected: CLEAN,
    async play(stage) {
      const worker = await atEffectRecord(stage, 'before 1.1');
      await died(worker);
      expect(stage.post.mails).toEqual([]);
      await restarted(stage);
    },
  },
  {
    name: 'not at all: it hangs before the claim, is given up, and wakes up afterwards',
    expected: CLEAN,
    async play(stage) {
      const claim = stage.gates.close('before 1.1');
      const worker = await begun(stage);
      await approve(stage, await memoWaits(stage));
      await claim.reached();
      worker.signal('SIGSTOP');
      await restarted(stage);
      // The server may hand tasks to the worker that stands still; each of them has to run out first.
      await eventually('the next dispatch has sent the mail', async () => stage.post.mails.length === 1, 240_000);
      claim.open();
      worker.signal('SIGCONT');
      expect(await worker.stop()).toBe('0'); // an orderly end: what it still had to do, it has done
    },
  },
  {
    name: 'after the claim, before the connection to the mail server',
    expected: { ...IN_DOUBT, call: 'failed not_applied', mails: 0 },
    settle: 'not_applied',
    async play(stage) {
      await died(await atEffectRecord(stage, 'after 1.1'));
      await restarted(stage);
    },
  },
  {
    name: 'during the send, before the message was handed over',
    expected: { ...IN_DOUBT, call: 'failed not_applied', mails: 0 },
    settle: 'not_applied',
    async play(stage) {
      await died(await atEffectRecord(stage, 'rcpt'));
      await restarted(stage);
    },
  },
  {
    name: 'during the send, the message taken and the answer never given',
    expected: { ...IN_DOUBT, mails: 1 },
    settle: 'applied',
    async play(stage) {
      await died(await atEffectRecord(stage, 'answer'));
      expect(stage.post.mails).toHaveLength(1);
      await restarted(stage);
    },
  },
  {
    name: 'after the send, before its outcome is recorded',
    expected: { ...IN_DOUBT, mails: 1 },
    settle: 'applied',
    async play(stage) {
      await died(await atEffectRecord(stage, 'before 1.2'));
      expect(stage.post.mails).toHaveLength(1);
      await restarted(stage);
    },
  },
  {
    name: 'after the outcome is recorded, before Temporal is told',
    expected: CLEAN,
    async play(stage) {
      await died(await atEffectRecord(stage, 'after 1.2'));
      expect((await recorded(stage)).completed.runCall).toBe(4); // the reads, and not the memo
      await restarted(stage);
    },
  },
  {
    name: 'not at all: it is cut off while it sends, and sends late; the person who settles has looked too early',
    expected: { ...IN_DOUBT, mails: 1 }, // the record knows better than the person: it is no "not applied"
    settle: 'not_applied',
    async play(stage) {
      const wire = await startWire(testAddress());
      const sending = stage.gates.close('rcpt');
      const late = stage.gates.close('after 1.3'); // 1 claimed, 2 in doubt, 3 applied
      await begun(stage, wire.address);
      await approve(stage, await memoWaits(stage));
      await sending.reached();
      await wire.close();
      await restarted(stage);
      await reachesState(stage, 'in_doubt');
      sending.open();
      await late.reached();
    },
  },
];

describe('a worker that is killed with -9', () => {
  const turnstile = new Turnstile(AT_ONCE);
  for (const row of ROWS) it.concurrent(row.name, () => turnstile.run(() => check(row)), 600_000);
  afterAll(() => printTable('the worker dies …', ROWS));
});

async function check(row: Row): Promise<void> {
  const began = Date.now();
  const stage = await openStage(testAddress());
  try {
    const seen = await limited(async () => {
      await row.play(stage);
      return outcomeOf(stage, row.settle);
    });
    note(row, seen, began);
    expect(seen).toEqual(row.expected);
    const { pids } = await recorded(stage);
    const killed = stage.workers.filter((worker) => worker.how === 'SIGKILL');
    if (killed.length > 0) expect([...pids]).toEqual(expect.arrayContaining(stage.workers.map(({ pid }) => pid))); // both had their part in it
  } catch (error) {
    throw new Error(`${String(error)}\nThe workers said:\n${stage.workers.map((worker) => worker.output).join('\n')}`, {
      cause: error,
    });
  } finally {
    await stage.close();
  }
  expect(stage.workers).toHaveLength(2);
  expect(stage.workers.every((worker) => worker.isGone())).toBe(true);
}

/** Starts the first worker and the turn. */
async function begun(stage: Stage, address?: string): Promise<WorkerProcess> {
  const worker = await stage.startWorker(address);
  await stage.begin();
  return worker;
}

async function died(worker: WorkerProcess): Promise<void> {
  expect(await worker.kill()).toBe('SIGKILL');
  expect(worker.isGone()).toBe(true);
}

async function restarted(stage: Stage): Promise<void> {
  await stage.startWorker();
}

/** Brings the approved memo to a gate and leaves it standing there. */
async function atEffectRecord(stage: Stage, point: string): Promise<WorkerProcess> {
  const gate = stage.gates.close(point);
  const worker = await begun(stage);
  await approve(stage, await memoWaits(stage));
  await gate.reached();
  return worker;
}
