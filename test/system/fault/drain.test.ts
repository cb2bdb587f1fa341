/**
 * An orderly end (SIGTERM) of real worker processes, each time while a call stands at a barrier of the test's own:
 * what runs is let end, up to the limit; what is cut off is repeated only where that does no harm.
 */
import { testAddress } from '../../engine/support/engine';
import { approve, memoWaits, openStage, recordedRuns, type Stage, type WorkerProcess } from '../support/fault-stage';
import { CLEAN, limited, outcomeOf, Turnstile, type Expected } from '../support/fault-table';
import { freePort } from '../../support/free-port';

/** Long enough that no test reaches it, whatever the machine. */
const PATIENT = { HOLDFAST_DRAIN_SECONDS: '60', HOLDFAST_LOG_LEVEL: 'info' };
const HURRIED = { HOLDFAST_DRAIN_SECONDS: '1', HOLDFAST_LOG_LEVEL: 'info' };

describe('a worker that is stopped with SIGTERM', () => {
  const turnstile = new Turnstile(2);
  const row = (name: string, play: (stage: Stage) => Promise<void>) =>
    it.concurrent(name, () => turnstile.run(() => onStage(play)), 600_000);

  row('lets a running read end, says meanwhile that it takes nothing new, and exits with 0', async (stage) => {
    const health = `http://127.0.0.1:${await freePort()}`;
    const read = stage.gates.close('read c');
    const worker = await begun(stage, { ...PATIENT, HOLDFAST_HEALTH_PORT: new URL(health).port });
    await read.reached();
    expect((await fetch(`${health}/readyz`)).status).toBe(200);

    await draining(worker);
    const readyz = await fetch(`${health}/readyz`);
    expect(readyz.status).toBe(503);
    expect(await readyz.json()).toEqual({
      ready: false,
      checks: [{ check: 'worker', ok: false, detail: expect.stringContaining('draining'), todo: expect.any(String) }],
    });
    expect((await fetch(`${health}/healthz`)).status).toBe(200);

    read.open();
    expect(await worker.ended).toBe('0');
    expect(worker.lastEvent('stopped; everything had ended')).toMatchObject({ handed_back: [], cut_off: [] });
    await goesOn(stage, CLEAN);
  });

  row('lets a running effect end: its result counts, and nobody repeats it', async (stage) => {
    const sending = stage.gates.close('rcpt');
    const worker = await begun(stage, PATIENT);
    await approve(stage, await memoWaits(stage));
    await sending.reached();
    await draining(worker);
    sending.open();
    expect(await worker.ended).toBe('0');
    expect(stage.post.mails).toHaveLength(1);
    await goesOn(stage, CLEAN);
  });

  row('hands back a read that outlasts the limit: another worker runs it again', async (stage) => {
    const read = stage.gates.close('read c');
    const worker = await begun(stage, HURRIED);
    await read.reached();
    await recordedRuns(stage, 'runCall', 3);
    await draining(worker);
    expect(await worker.ended).toBe('0');
    const stopped = worker.lastEvent('stopped; activities that the time limit stopped run again on another worker');
    expect(stopped).toMatchObject({ handed_back: [{ tool: 'read_figure', activity: 'runCall' }], cut_off: [] });
    await goesOn(stage, { ...CLEAN, reads: '1 1 2 1' });
  });

  row('cuts off an effect that outlasts the last moment, with 1: the call is in doubt, and nobody repeats it', async (stage) => {
    const sending = stage.gates.close('rcpt');
    const worker = await begun(stage, HURRIED);
    await approve(stage, await memoWaits(stage));
    await sending.reached();
    await draining(worker);
    expect(await worker.ended).toBe('1');
    const stopped = worker.lastEvent('stopped before all activities had ended');
    expect(stopped).toMatchObject({ level: 'error', cut_off: [{ tool: 'send_credit_memo', trace_id: expect.any(String) }] });
    await goesOn(stage, { ...CLEAN, call: 'failed not_applied', doubt: true, mails: 0 }, 'not_applied');
  });

  row('ends at once at a second signal', async (stage) => {
    const read = stage.gates.close('read c');
    const worker = await begun(stage, PATIENT);
    await read.reached();
    await recordedRuns(stage, 'runCall', 3);
    await draining(worker);
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe('143');
    await goesOn(stage, { ...CLEAN, reads: '1 1 2 1' });
  });
});

async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage(testAddress());
  try {
    await limited(() => play(stage));
  } catch (error) {
    const said = stage.workers.map((worker) => worker.output).join('\n');
    throw new Error(`${String(error)}\nThe workers said:\n${said}`, { cause: error });
  } finally {
    await stage.close();
  }
}

async function begun(stage: Stage, settings: Record<string, string>): Promise<WorkerProcess> {
  const worker = await stage.startWorker(undefined, settings);
  await stage.begin();
  return worker;
}

/** Sends SIGTERM; resolves when the worker says that it takes nothing new. */
async function draining(worker: WorkerProcess): Promise<void> {
  const said = worker.logs('draining');
  worker.signal('SIGTERM');
  await said;
}

/** Another worker takes over. Approves the memo where it was not yet, and compares what came of it all. */
async function goesOn(stage: Stage, expected: Expected, settle?: 'not_applied'): Promise<void> {
  await stage.startWorker();
  const approved = stage.post.mails.length > 0 || settle !== undefined;
  if (!approved) await approve(stage, await memoWaits(stage));
  expect(await outcomeOf(stage, settle)).toEqual(expected);
}
