/** Many questions to workers: a few at a time, and given up together when nobody answers. */
import { BoundedAsks } from '../../../src/client/approvals/bounded-asks';

/** Temporal whose task queue nobody polls. */
const temporal = {
  options: { namespace: 'default' },
  workflowService: { describeTaskQueue: async () => ({ pollers: [] }) },
  connection: {
    withAbortSignal: <T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> =>
      Promise.race([
        ask(),
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })),
      ]),
    withDeadline: <T>(_: number, ask: () => Promise<T>): Promise<T> => ask(),
  },
} as never;
const QUEUE = { taskQueue: 'queue' };
const asks = () => new BoundedAsks(temporal, 'queue', 'tell what waits');

describe('questions to workers', () => {
  it('are asked a few at a time, and all of them', async () => {
    let [now, most] = [0, 0];
    const ask = async (n: number) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return n;
    };
    const bounded = asks();
    const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => bounded.ask(QUEUE, () => ask(n))));
    expect(answers).toEqual(Array.from({ length: 300 }, (_, n) => ({ ok: true, answer: n })));
    expect(most).toBeLessThanOrEqual(16);
    expect(most).toBeGreaterThan(1);
  });

  it('keep the others going if one fails', async () => {
    const bounded = asks();
    const [bad, good] = await Promise.all([
      bounded.ask(QUEUE, () => Promise.reject(new Error('no such card'))),
      bounded.ask(QUEUE, async () => 'here'),
    ]);
    expect(bad).toEqual({ ok: false, why: 'no such card', noWorker: false });
    expect(good).toEqual({ ok: true, answer: 'here' });
  });

  it('are all given up after five seconds without any answer, those too that had not been asked; later ones are asked anew', async () => {
    jest.useFakeTimers();
    try {
      const bounded = asks();
      const begun: number[] = [];
      const answers = Promise.all(
        Array.from({ length: 40 }, (_, n) => bounded.ask(QUEUE, () => (begun.push(n), new Promise<never>(() => undefined)))),
      );
      await jest.advanceTimersByTimeAsync(5100);
      const given = await answers;
      expect(given.every((one) => !one.ok && one.noWorker && /holdfast worker/.test(one.why))).toBe(true);
      expect(begun.length).toBeLessThan(40);
      const other = bounded.ask({ taskQueue: 'other' }, async () => 'of another queue');
      expect(await other).toEqual({ ok: true, answer: 'of another queue' });
      expect(await bounded.ask(QUEUE, async () => 'back')).toEqual({ ok: true, answer: 'back' });
    } finally {
      jest.useRealTimers();
    }
  });

  it('to a queue whose workers are gone do not keep those to others waiting, nor do questions that are asked again', async () => {
    const bounded = asks();
    let answer = () => undefined as void;
    const late = new Promise<void>((resolve) => (answer = resolve));
    const others = Array.from({ length: 40 }, () => [
      bounded.ask({ taskQueue: 'gone' }, () => late),
      bounded.ask({ ...QUEUE, isRetry: true }, () => late),
    ]);
    expect(await bounded.ask(QUEUE, async () => 'here')).toEqual({ ok: true, answer: 'here' });
    answer();
    await Promise.all(others.flat());
  });
});
