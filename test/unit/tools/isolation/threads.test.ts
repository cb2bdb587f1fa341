/** Threads end at their limit of memory, and with their last user. */
import { join } from 'node:path';
import { inThread, endThreads, openThreads, useThreads } from '../../../../src/tools/isolation/pool';
import { calculateTool } from '../../../../packs/finance/src/tools/calculate';
import { call } from '../../../support/packs/reference/support';

const fill = {
  module: join(__dirname, 'fill.cjs'),
  name: 'fill',
  what: 'The filling',
  limits: { ms: 60_000, reason: 'fill_too_slow', hint: 'Take less.' },
};

afterEach(() => endThreads());

it('a job that takes more memory than a thread may have fails alone, and the next one gets a new thread', async () => {
  const lane = openThreads({ threads: 1, heapMb: 32, idleMs: 1000 });
  await expect(inThread(fill, null, { lane, owner: 'ana' })).rejects.toMatchObject({
    detail: { code: 'INVALID_PARAMS', reason: 'too_much_memory', message: expect.stringContaining('32 MB') },
  });
  await expect(inThread({ ...fill, name: 'none' }, null, { lane, owner: 'ana' })).rejects.toThrow('has no function none');
});

it('the time to load the module of a job does not count as time of the job', async () => {
  const limits = { ms: 1000, reason: 'too_slow', hint: 'Take less.' };
  const job = { module: join(__dirname, 'slow-load.cjs'), name: 'answer', what: 'The answer', limits };
  expect(await inThread(job, null, { owner: 'ana' })).toBe('done');
});

it('threads end with the last worker of the process that uses them', async () => {
  const [first, second] = [useThreads(), useThreads()];
  const spinning = inThread({ ...fill, limits: { ...fill.limits, ms: 30_000 } }, null, {
    lane: openThreads({ threads: 1, heapMb: 2048, idleMs: 1000 }),
    owner: 'ana',
  }).then(
    () => 'ended well',
    () => 'was ended',
  );
  await call(calculateTool(), { expression: '1 + 1' });
  await first();
  await first(); // said twice, it counts once
  expect(await Promise.race([spinning, Promise.resolve('goes on')])).toBe('goes on');
  await second();
  expect(await spinning).toBe('was ended');
  expect(await call(calculateTool(), { expression: '1 + 1' })).toMatchObject({ result: 2 });
});
