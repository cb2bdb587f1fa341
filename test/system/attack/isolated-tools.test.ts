/** A user's tool that says `isolate: true` may spin, fill its memory or end its thread: that costs its own call. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endThreads } from '../../../src/tools/isolation/pool';
import { ToolThreads } from '../../../src/tools/isolation/tool-threads';
import { runTool } from '../../../src/tools/run/run';
import { blockedDuring } from '../../support/blocked';
import { eventually, withEngine } from '../../engine/support/engine';
import app, { isolatedTools, looks } from '../support/isolated-app';
import { ask, say } from '../../support/scripted-model';
import { toolContext } from '../../support/tool-context';

const appModule = join(__dirname, '../support/isolated-app.ts');
/** Enough to load the app, and soon full. */
const isolation = { threads: 2, heapMb: 128 };
const threads = new ToolThreads(appModule, isolation);

afterAll(() => endThreads());

async function runs(name: string, timeoutMs: number, owner = 'mallory') {
  const tool = isolatedTools.find((one) => one.name === name)!;
  const thread = await threads.ready('test', tool, owner, new AbortController().signal);
  return runTool(tool, { text: 'x' }, toolContext(), { timeoutMs, run: (...given) => thread.run(...given) });
}

/** MB */
const memory = () => process.memoryUsage().rss / 1024 ** 2;

it('a tool that spins is ended at its time limit, and the worker’s thread goes on', async () => {
  const { value, ms, longestMs } = await blockedDuring(() => runs('spins', 3000));
  expect(value).toMatchObject({ ok: false, nothingHappened: false, error: { code: 'TIMEOUT', reason: 'timeout' } });
  expect(longestMs).toBeLessThan(2700);
  expect(ms).toBeGreaterThan(2900);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500); // nothing spins any more
});

it('a tool that takes memory without end is ended with its thread, and the next call has another', async () => {
  const error = { code: 'EXECUTION_ERROR', reason: 'too_much_memory', message: expect.stringContaining('128 MB') };
  expect(await runs('fills', 30_000)).toMatchObject({ ok: false, nothingHappened: false, error });
  expect(await runs('exits', 30_000)).toMatchObject({ ok: false, error: { reason: 'tool_crashed' } });
  expect(await runs('refuses', 30_000)).toMatchObject({ ok: false, error: { reason: 'too_often' } });
});

it('a tenant with many principals cannot take all threads: another tenant’s call does not wait for theirs', async () => {
  const ends: string[] = [];
  const spinning = ['acme/ana', 'acme/ben'].map((owner) => runs('spins', 15_000, owner).then(() => ends.push('acme')));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await runs('refuses', 30_000, 'globex/eve')).toMatchObject({ ok: false, error: { reason: 'too_often' } });
  expect(ends).toEqual([]);
  await Promise.all(spinning);
});

it.each(['tells', 'logs', 'notes', 'asks', 'times'])(
  'a tool that %s without end is ended at its time limit, and neither blocks nor fills the worker',
  async (what) => {
    const before = memory();
    let most = 0;
    const look = setInterval(() => (most = Math.max(most, memory())), 50);
    const { value, ms, longestMs } = await blockedDuring(() => runs(`${what}_without_end`, 2500));
    clearInterval(look);
    expect(value).toMatchObject({ ok: false, nothingHappened: false });
    expect(longestMs).toBeLessThan(2300);
    expect(ms).toBeLessThan(30_000);
    expect(most - before).toBeLessThan(400); // the thread's own 128 MB, and what the worker's has not collected yet
  },
);

it.each(['preview', 'reconcile'] as const)('a %s that spins is ended at its time limit too', async (part) => {
  const thread = await threads.ready('test', looks, 'mallory', new AbortController().signal, part);
  const { value, longestMs } = await blockedDuring(() =>
    runTool(looks, { text: 'spins' }, toolContext(), { timeoutMs: 3000, run: (...given) => thread.run(...given) }),
  );
  expect(value).toMatchObject({ ok: false, error: { code: 'TIMEOUT', reason: 'timeout' } });
  expect(longestMs).toBeLessThan(2700);
});

it('a worker runs previews and probes in threads', async () => {
  const script = [ask(['looks', {}]), say('Done.')];
  await withEngine({ app, script, settings: { appModule, isolation } }, async ({ start }) => {
    const turn = await start('Look.', { agent: 'test', requester: 'rita' });
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'zoe' });
    expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ effect: 'applied' }] });
  });
});

it('a worker runs a tool whose call ends later, and its poll, in threads', async () => {
  const script = [ask(['ends_later', {}]), say('Done.')];
  await withEngine({ app, script, settings: { appModule, isolation } }, async ({ start }) => {
    const turn = await start('Hand it over.', { agent: 'test', requester: 'rita' });
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'zoe' });
    const { calls } = await turn.result();
    expect(calls).toMatchObject([{ effect: 'applied', result_summary: expect.stringContaining('in a thread') }]);
  });
});

it.each(['spins', 'fills', 'exits'])('a payment whose tool then %s is in doubt, and is not made again', async (what) => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-isolated-'));
  const text = join(folder, 'paid.txt');
  const script = [ask([`pays_and_${what}`, { text }]), say('It is in doubt.')];
  try {
    await withEngine({ app, script, settings: { appModule, isolation } }, async ({ start }) => {
      const turn = await start('Pay.', { agent: 'test', requester: 'rita' });
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'zoe' });
      const doubtful = await eventually('the payment is in doubt', async () => {
        const { calls } = await turn.status();
        return calls[0]!.state === 'in_doubt' && calls[0]!;
      });
      await turn.settle(doubtful.digest!, 'applied', { by: 'zoe' });
      expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ effect: 'applied' }] });
      expect(readFileSync(text, 'utf8')).toBe('paid\n');
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a worker that is not told where its isolated tools can be loaded from does not start, and says what to do', async () => {
  await expect(withEngine({ app }, async () => undefined)).rejects.toThrow('pass appModule');
  await expect(withEngine({ app, settings: { appModule: 'nowhere.ts' } }, async () => undefined)).rejects.toThrow('no such file');
});
