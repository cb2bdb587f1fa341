/**
 * An orderly end (SIGTERM) of real worker processes, each time while calls wait at barriers of the test's own: running calls may
 * end, up to the limit; a call that is cut off is repeated only if that does no harm. The worker that goes on with the turns is
 * stopped next.
 */
import { setTimeout } from 'node:timers/promises';
import { testAddress } from '../../engine/support/engine';
import {
  approve,
  hearing,
  memoWaits,
  openStage,
  recordedRuns,
  sceneOf,
  type Stage,
  type WorkerProcess,
} from '../support/fault-stage';
import { CLEAN, outcomeOf } from '../support/fault-table';
import { freePort } from '../../support/free-port';

/** Long enough that no test reaches it, on any machine. */
const PATIENT = { HOLDFAST_DRAIN_SECONDS: '60', HOLDFAST_LOG_LEVEL: 'info' };
const HURRIED = { HOLDFAST_DRAIN_SECONDS: '1', HOLDFAST_LOG_LEVEL: 'info' };

jest.setTimeout(300_000);

describe('a worker that is stopped with SIGTERM', () => {
  let stage: Stage;
  /** The one that serves the turns now. */
  let worker: WorkerProcess;
  const health = { url: '' };
  const goesOn = async (settings: Record<string, string>) => (worker = await stage.startWorker(undefined, settings));

  beforeAll(async () => {
    stage = await openStage(testAddress());
    const port = await freePort();
    health.url = `http://127.0.0.1:${port}`;
    await goesOn({ ...PATIENT, HOLDFAST_HEALTH_PORT: String(port) });
  });
  afterAll(() => stage.close());

  const row = (name: string, play: () => Promise<void>) => it(name, () => hearing(stage, play));

  row('lets a running read and a running effect end, reports meanwhile that it takes no new work, and exits with 0', async () => {
    const [reads, sends] = [sceneOf(stage, 'reads'), sceneOf(stage, 'sends')];
    const [read, sending] = [reads.gates.close('read c'), sends.gates.close('rcpt')];
    await reads.begin();
    await sends.begin();
    await approve(sends, await memoWaits(sends));
    await Promise.all([read.reached(), sending.reached()]);
    expect((await fetch(`${health.url}/readyz`)).status).toBe(200);

    await draining();
    const readyz = await fetch(`${health.url}/readyz`);
    expect(readyz.status).toBe(503);
    expect(await readyz.json()).toEqual({
      ready: false,
      checks: [{ check: 'worker', ok: false, detail: expect.stringContaining('draining'), todo: expect.any(String) }],
    });
    expect((await fetch(`${health.url}/healthz`)).status).toBe(200);

    read.open();
    sending.open();
    expect(await worker.ended).toBe('0');
    expect(worker.lastEvent('stopped; everything had ended')).toMatchObject({ handed_back: [], cut_off: [] });
    expect(sends.post.mails).toHaveLength(1);
    await goesOn(HURRIED);
    expect(await outcomeOf(sends)).toEqual(CLEAN);
    await approve(reads, await memoWaits(reads));
    expect(await outcomeOf(reads)).toEqual(CLEAN);
  });

  row('hands back a read that outlasts the limit: another worker runs it again', async () => {
    const scene = await standsInRead('outlasts');
    await draining();
    expect(await worker.ended).toBe('0');
    const stopped = worker.lastEvent('stopped; activities that the time limit stopped run again on another worker');
    expect(stopped).toMatchObject({ handed_back: [{ tool: 'read_figure', activity: 'runCall' }], cut_off: [] });
    await goesOn(HURRIED);
    await approve(scene, await memoWaits(scene));
    expect(await outcomeOf(scene)).toEqual({ ...CLEAN, reads: '1 1 2 1' });
  });

  row('cuts off an effect that outlasts the last moment, and exits with 1: the call is in doubt and not repeated', async () => {
    const scene = sceneOf(stage, 'cut');
    const sending = scene.gates.close('rcpt');
    await scene.begin();
    await approve(scene, await memoWaits(scene));
    await sending.reached();
    await draining();
    expect(await worker.ended).toBe('1');
    const stopped = worker.lastEvent('stopped before all activities had ended');
    expect(stopped).toMatchObject({ level: 'error', cut_off: [{ tool: 'send_credit_memo', trace_id: expect.any(String) }] });
    await goesOn(PATIENT);
    const seen = await outcomeOf(scene, 'not_applied');
    expect(seen).toEqual({ ...CLEAN, call: 'failed not_applied', doubt: true, mails: 0 });
  });

  row('ends at once at a second signal', async () => {
    const scene = await standsInRead('twice');
    await draining();
    // Sooner, it would count as the first one.
    await setTimeout(400);
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe('143');
    await goesOn(PATIENT);
    await approve(scene, await memoWaits(scene));
    expect(await outcomeOf(scene)).toEqual({ ...CLEAN, reads: '1 1 2 1' });
  });

  /** Begins a turn and waits until one of its reads stands at its gate and the others have ended. */
  async function standsInRead(name: string): Promise<Stage> {
    const scene = sceneOf(stage, name);
    const read = scene.gates.close('read c');
    await scene.begin();
    await read.reached();
    await recordedRuns(scene, 'runCall', 3);
    return scene;
  }

  /** Sends SIGTERM; resolves when the worker says that it takes no new work. */
  async function draining(): Promise<void> {
    const said = worker.logs('draining');
    worker.signal('SIGTERM');
    await said;
  }
});
