/** `testStore` finds the faults of a user's own store. */
import { setImmediate as turn } from 'node:timers/promises';
import { openStore } from '../../../src/store/open-store';
import type { Store } from '../../../src/store/store';
import { BrokenStore, testStore } from '../../../src/testing';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';

afterAll(removeStoreDirs);

/** A store in files with one faulty part. */
async function withFault(fault: (store: Store) => Partial<Store>): Promise<string[]> {
  const dir = storeDir();
  const open = async () => {
    const store = await openStore(`file:${dir}`);
    const parts = Object.entries(fault(store)).map(([name, value]) => [name, { value }]);
    return Object.create(store, Object.fromEntries(parts)) as Store;
  };
  const error = await testStore(open).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BrokenStore);
  const { report, message } = error as BrokenStore;
  const broken = report.claims.filter(({ held }) => !held);
  for (const { claim, seen } of broken) expect(message).toContain(`- ${claim}: ${seen}`);
  return broken.map(({ claim }) => claim);
}

it('a claim that every caller gets', async () => {
  const broken = await withFault(({ effects }) => ({
    effects: Object.create(effects, { claim: { value: async (...given: Parameters<typeof effects.claim>) => ({ ...(await effects.claim(...given)), claimed: true }) } }),
  })); // oxfmt-ignore
  expect(broken).toEqual([
    'of many that claim one dispatch at once, one may act',
    'a dispatch is not repeated until it is proven not_applied',
  ]);
});

it('a register that is read and written in two steps', async () => {
  const broken = await withFault(({ registers }) => ({
    registers: {
      read: (name) => registers.read(name),
      update: async (name, change) => {
        const { value: before, now } = await registers.read(name);
        const { value, answer } = change(before, now);
        await turn();
        if (value !== undefined) await registers.update(name, () => ({ value, answer: null }));
        return answer;
      },
    },
  }));
  expect(broken).toEqual(['of all changes of a register at once none is lost']);
});

it('bytes that come back changed, and missing ones that come back empty', async () => {
  expect(await withFault(() => ({ getBytes: async () => Buffer.alloc(0) }))).toEqual([
    'what nobody stored is not found, and the error names it',
    'bytes are named by their SHA-256, and come back as they were',
  ]);
});

it('a trail in reverse order', async () => {
  const broken = await withFault(({ trail }) => ({
    trail: {
      query: async (query) => {
        const page = await trail.query(query);
        return { ...page, entries: page.entries.toReversed() };
      },
    },
  }));
  expect(broken).toEqual(['the trail tells of every decision and effect once, in order and in pages']);
});

it('a view of another store', async () => {
  const [error] = await Promise.allSettled([testStore(async () => openStore(`file:${storeDir()}`))]);
  expect(error).toMatchObject({ status: 'rejected', reason: { name: 'BrokenStore' } });
  expect((error as PromiseRejectedResult).reason.message).toContain('every view is of the same store');
});
