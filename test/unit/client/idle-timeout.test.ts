import { IdleTimeout } from '../../../src/client/turns/missing-answer';

describe('silence', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('times out once nobody has answered for the given time, counted from the last answer', () => {
    const silence = new IdleTimeout(5000);
    for (let answers = 0; answers < 3; answers++) {
      jest.advanceTimersByTime(4999);
      expect(silence.signal.aborted).toBe(false);
      silence.broken();
    }
    jest.advanceTimersByTime(5000);
    expect(silence.signal.aborted).toBe(true);
  });

  it('does not time out any more once it is over', () => {
    const silence = new IdleTimeout(5000);
    silence.over();
    jest.advanceTimersByTime(60_000);
    expect(silence.signal.aborted).toBe(false);
  });
});

it('as many requests as there are turns may wait, without a warning of Node', async () => {
  const warnings: unknown[] = [];
  const warned = (warning: unknown) => warnings.push(warning);
  process.on('warning', warned);
  const silence = new IdleTimeout(60_000);
  for (let n = 0; n < 50; n++) silence.signal.addEventListener('abort', () => undefined);
  silence.over();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warned);
  expect(warnings).toEqual([]);
});
