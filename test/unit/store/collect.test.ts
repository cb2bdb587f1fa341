/** Garbage collection over files: what is referred to stays, whatever writers do meanwhile. */
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { collect, LEAST_AGE_MS } from '../../../src/store/collect/collect';
import type { CollectableBacking } from '../../../src/store/collect/stock';
import { createStore } from '../../../src/store/core/create-store';
import { append, walk } from '../../../src/store/core/transcript';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';

const AT = '2026-01-31T12:00:00.000Z';
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

let dir: string;
let backing: CollectableBacking;
let store: Store;
beforeEach(async () => {
  dir = storeDir();
  backing = await FileStore.backing(dir);
  store = createStore(backing);
});
afterAll(removeStoreDirs);

/** Everything in the store is stored long ago. */
function age(): void {
  for (const folder of ['objects', 'bytes'])
    for (const name of readdirSync(join(dir, folder))) utimesSync(join(dir, folder, name), LONG_AGO, LONG_AGO);
}

async function* of(...texts: string[]) {
  yield* texts;
}

const collected = (roots: () => AsyncIterable<string>, dryRun = false, more = {}) =>
  collect(backing, { roots, olderThan: LEAST_AGE_MS, dryRun, ...more });

/** Another process's view, without what this one has in its caches. */
const fresh = () => FileStore.open(dir);

test('what a root refers to stays, through parts, blocks and files; the rest goes', async () => {
  const file = await store.putBytes(Buffer.from('a file'));
  const lost = await store.putBytes(Buffer.from('another file'));
  const inner = await store.putPart('run', { file: { sha256: file } });
  const first = await append(store, 'run', { parent: null, kind: 'start', at: AT, bodies: [{ result_ref: inner }] });
  const head = await append(store, 'run', { parent: first, kind: 'end', at: AT, bodies: [] });
  const garbage = await store.putPart('run', 'garbage');
  const other = await append(store, 'run', { parent: head, kind: 'end', at: AT, bodies: ['a branch that was lost'] });
  age();

  const dry = await collected(() => of(`{"head":"${head}"}`), true);
  expect(dry).toMatchObject({
    dry_run: true,
    all: { number: 7 },
    referred_to: 4,
    removed: { objects: { number: 2 }, files: { number: 1 } },
  });
  expect(await (await fresh()).getPart(garbage)).toBe('garbage');

  expect((await collected(() => of(`{"head":"${head}"}`))).removed).toEqual(dry.removed);
  const reader = await fresh();
  expect(await walk(reader, head)).toHaveLength(2);
  expect((await reader.getBytes(file)).toString()).toBe('a file');
  expect(await reader.getPart(inner)).toEqual({ file: { sha256: file } });
  await expect(reader.getPart(garbage)).rejects.toMatchObject({ code: 'not_found' });
  await expect(reader.getBlock(other)).rejects.toMatchObject({ code: 'not_found' });
  await expect(reader.getBytes(lost)).rejects.toMatchObject({ code: 'not_found' });
});

test('what is young stays, and what is stored again is young', async () => {
  const parts = await Promise.all(['old', 'again'].map((text) => store.putPart('run', text)));
  age();
  const young = await store.putPart('run', 'young');
  // A writer stores it again after it was found to be garbage.
  let looks = 0;
  const roots = async function* () {
    if (++looks === 2) await (await fresh()).putPart('run', 'again');
    yield '';
  };
  expect((await collected(roots)).removed.objects.number).toBe(2);
  const reader = await fresh();
  await expect(reader.getPart(parts[0]!)).rejects.toMatchObject({ code: 'not_found' });
  expect(await reader.getPart(parts[1]!)).toBe('again');
  expect(await reader.getPart(young)).toBe('young');
});

test('a reference that begins between the two looks counts', async () => {
  const part = await store.putPart('run', 'referred to late');
  age();
  let looks = 0;
  await collected(async function* () {
    yield ++looks === 2 ? part : '';
  });
  expect(await (await fresh()).getPart(part)).toBe('referred to late');
});

test('results of effects stay, and the blocks of the trail; their transcripts do not', async () => {
  const digest = 'd'.repeat(64);
  const subject = { turn_id: 'inv-7', workflow_id: 'turn/inv-7', agent: 'payables', requester: 'rita' };
  const call = { call_id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' };
  const start = await append(store, 'run', { parent: null, kind: 'start', at: AT, bodies: ['hello'] });
  const decision = { decision: 'approve', by: 'ana', at: AT, digest, note: null, subject: { ...subject, ...call } };
  const block = await append(store, 'run', { parent: start, kind: 'decision', at: AT, bodies: [decision] });
  const result = await store.putPart('run', { paid: true });
  const key = `hf_${'a'.repeat(40)}`;
  const claim = {
    idempotency_key: key,
    turn_id: 'inv-7',
    digest,
    dispatch: 1,
    tool: 'pay',
    run_id: 'run',
    attempt: 1,
    head: block,
  };
  await store.effects.claim(claim);
  await store.effects.move(key, 1, 'applied', { result_ref: result });
  age();
  await collected(() => of());
  const reader = await fresh();
  expect(await reader.getPart(result)).toEqual({ paid: true });
  expect((await reader.trail.query({})).entries).toMatchObject([{ by: 'ana', verified: true }]);
  await expect(reader.getBlock(start)).rejects.toMatchObject({ code: 'not_found' });
});

test('nothing is deleted if something that is referred to cannot be read, or the limit is too short', async () => {
  const part = await store.putPart('run', 'x');
  age();
  const { objects } = backing;
  backing.objects = Object.assign(Object.create(objects) as typeof objects, {
    getEach: async () => [],
    get: async () => Promise.reject(new Error('no key')),
  });
  await expect(collected(() => of(part))).rejects.toThrow('no key');
  backing.objects = objects;
  await expect(collect(backing, { roots: () => of(), olderThan: 1000, dryRun: false })).rejects.toThrow(RangeError);
  expect(await (await fresh()).getPart(part)).toBe('x');
});

test('writers and collectors at once, in any order: no turn that is kept loses anything', async () => {
  const random = (below: number) => Math.floor(Math.random() * below);
  const heads = new Map<string, string>(); // kept turns
  let removed = 0;
  const roots = async function* () {
    for (const head of heads.values()) yield head;
  };
  const write = async (turn: string) => {
    const writer = await fresh();
    for (let n = 0; n < 6; n++) {
      // Few bodies, so that what one turn lost is what another stores again.
      const part = await writer.putPart('shared', { n: random(8) });
      const body = { part_ref: part, n: random(3) };
      const head = await append(writer, 'shared', { parent: heads.get(turn) ?? null, kind: 'message', at: AT, bodies: [body] });
      heads.set(turn, head); // as the history of the workflow, after the activity
      if (random(3) === 0) await new Promise((resolve) => setTimeout(resolve, random(4)));
    }
    if (random(2) === 0) heads.delete(turn); // Temporal forgets it
  };
  for (let round = 0; round < 12; round++) {
    age();
    const writing = Array.from({ length: 4 }, (_, n) => write(`turn-${round}-${n}`));
    for (let n = 0; n < 2; n++) removed += (await collected(roots)).removed.objects.number;
    await Promise.all(writing);
    const reader = await fresh();
    for (const head of heads.values())
      for (const { bodies } of await walk(reader, head)) await reader.getPart((bodies[0] as { part_ref: string }).part_ref);
  }
  expect(removed).toBeGreaterThan(0);
  expect(heads.size).toBeGreaterThan(0);
});
