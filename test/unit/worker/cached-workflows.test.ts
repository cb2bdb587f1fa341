/** How many workflows a worker keeps follows from the memory that it may use. */
import { cachedWorkflows, memoryOfProcess } from '../../../src/worker/cached-workflows';

describe('workflows kept in memory', () => {
  it.each([
    ['a container of 400 MB', { memoryMb: 400, heapMb: 248 }, 60],
    ['a container of 1 GB', { memoryMb: 1024, heapMb: 560 }, 336],
    ['a container of 2 GB', { memoryMb: 2048, heapMb: 1072 }, 643],
    ['a container of 1 GB whose heap was set to 4 GB', { memoryMb: 1024, heapMb: 4144 }, 434],
    ['a machine of 24 GB', { memoryMb: 24_000, heapMb: 4144 }, 2486],
    ['a machine of 24 GB with a heap of 512 MB', { memoryMb: 24_000, heapMb: 560 }, 336],
    ['less memory than an idle worker needs', { memoryMb: 200, heapMb: 150 }, 10],
  ])('%s', (_name, memory, turns) => {
    expect(cachedWorkflows(memory)).toBe(turns);
  });

  it.each([400, 512, 1024, 2048, 4096])('at 0.5 MB each leave room for calls in a container of %d MB', (memoryMb) => {
    const kept = 0.5 * cachedWorkflows({ memoryMb, heapMb: Infinity });
    expect(kept).toBeLessThanOrEqual(0.3 * (memoryMb - 300));
  });

  it('are counted by a memory that is finite on every system', () => {
    const { memoryMb, heapMb } = memoryOfProcess();
    expect(memoryMb).toBeGreaterThan(0);
    expect(memoryMb).toBeLessThan(2 ** 30);
    expect(heapMb).toBeGreaterThan(0);
  });
});
