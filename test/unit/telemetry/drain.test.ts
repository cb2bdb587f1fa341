import { drain, LAST_MS, Running } from '../../../src/telemetry/running';
import { capturedLog } from '../../support/captured-log';

const work = { activity: 'runCall', trace_id: 'trace_1', turn_id: 't', call_id: '1.1', tool: 'pay' };

describe('the end of a worker', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('takes nothing new, then waits for running work, and names that work', async () => {
    const { log, said } = capturedLog();
    const running = new Running();
    const ended = running.begin(work);
    let finish!: () => void;
    const shutdown = jest.fn();
    const draining = drain({ shutdown, finished: new Promise<void>((resolve) => (finish = resolve)) }, running, 1000, log);
    expect(shutdown).toHaveBeenCalledTimes(1);
    expect(said('draining')).toMatchObject([{ running: [work], limit_ms: 1000 }]);
    ended('ended');
    finish();
    expect(await draining).toMatchObject({ in_time: true, handed_back: [], cut_off: [] });
    expect(said('stopped; everything had ended')).toMatchObject([{ level: 'info' }]);
  });

  it('names the work that it has handed back', async () => {
    const { log, said } = capturedLog();
    const running = new Running();
    running.begin(work)('stopped');
    expect(await drain({ shutdown: () => undefined, finished: Promise.resolve() }, running, 1000, log)).toMatchObject({
      in_time: true,
      handed_back: [work],
    });
    expect(said('stopped; activities that the time limit stopped run again on another worker')).toMatchObject([
      { level: 'warn' },
    ]);
  });

  it('does not wait longer than the limit and the last moment, and names the work that it cuts off', async () => {
    const { log, said } = capturedLog();
    const running = new Running();
    running.begin(work);
    let drained: unknown;
    const never = new Promise<void>(() => undefined);
    void drain({ shutdown: () => undefined, finished: never }, running, 1000, log).then((it) => (drained = it));
    await jest.advanceTimersByTimeAsync(1000 + LAST_MS - 1);
    expect(drained).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(drained).toMatchObject({ in_time: false, cut_off: [work] });
    expect(said('stopped before all activities had ended')).toMatchObject([{ level: 'error', todo: expect.any(String) }]);
  });

  it('is not in time when the SDK gives up by itself', async () => {
    const { log } = capturedLog();
    const finished = Promise.reject(new Error('GracefulShutdownPeriodExpired'));
    expect(await drain({ shutdown: () => undefined, finished }, new Running(), 1000, log)).toMatchObject({ in_time: false });
  });
});
