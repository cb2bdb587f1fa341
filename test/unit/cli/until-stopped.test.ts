/** A command ends at the first signal, and at once at a second one. */
import { untilStopped } from '../../../src/cli/support/until-stopped';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

describe('untilStopped', () => {
  const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => {
    for (const signal of SIGNALS) process.removeAllListeners(signal);
    jest.useRealTimers();
    exit.mockClear();
  });
  afterAll(() => exit.mockRestore());

  it('takes a signal that npm or `timeout` sends again for the same one', async () => {
    const stopped = untilStopped();
    process.emit('SIGINT');
    jest.advanceTimersByTime(100);
    process.emit('SIGINT');
    expect(await stopped).toBe('SIGINT');
    expect(exit).not.toHaveBeenCalled();
  });

  it('ends the process at a second Ctrl-C', async () => {
    const stopped = untilStopped();
    process.emit('SIGINT');
    jest.advanceTimersByTime(400);
    process.emit('SIGINT');
    expect(await stopped).toBe('SIGINT');
    expect(exit).toHaveBeenCalledWith(130);
  });

  it('ends the process at another signal right after the first', async () => {
    const stopped = untilStopped();
    process.emit('SIGINT');
    process.emit('SIGTERM');
    expect(await stopped).toBe('SIGINT');
    expect(exit).toHaveBeenCalledWith(143);
  });
});
