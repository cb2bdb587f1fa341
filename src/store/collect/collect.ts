/**
 * Deletes what nothing refers to any more: mark and sweep. Whatever looks like a hash counts as a reference, wherever it stands, so
 * that a new field of a format cannot be forgotten here.
 *
 * It is safe beside writers (decision 0088). What is younger than the age limit stays. Whoever stores something again makes it young
 * before anything refers to it, and deletion is conditional on age. Between two marks nothing is deleted, so that what began to be
 * referred to meanwhile is seen.
 */
import { objectOfFile } from '../core/lines';
import { checkTrailQuery } from '../core/trail';
import { outsideIn } from '../parts/parts-backing';
import { readPartName } from '../parts/part-store';
import type { Collectable, CollectableBacking, StockItem } from './stock';

export interface CollectRequest {
  /** All text in which kept turns, sessions and bundles may refer to the store. It is read twice. */
  roots(): AsyncIterable<string>;
  /** ms; at least a day. */
  olderThan: number;
  dryRun: boolean;
  onProgress?(text: string): void;
  now?: number;
}

export interface Count {
  number: number;
  bytes: number;
}

export interface Collection {
  /** ISO 8601: what was stored later stays. */
  before: string;
  dry_run: boolean;
  /** Objects and files before the collection. */
  all: Count;
  referred_to: number;
  removed: { objects: Count; files: Count; parts: Count };
}

export const LEAST_AGE_MS = 86_400_000;
const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
/** Objects read, and names deleted, at once. */
const GROUP = 500;

/** @throws Error if something that is referred to cannot be read */
export async function collect(backing: CollectableBacking, request: CollectRequest): Promise<Collection> {
  const { collectable } = backing;
  const { olderThan, dryRun, now = Date.now(), onProgress = () => undefined } = request;
  if (olderThan < LEAST_AGE_MS) throw new RangeError('The age limit must be a day at least.');
  const before = now - olderThan;
  const [objects, files] = [await inventory(collectable.objects), await inventory(collectable.files)];
  const marks = new Marks(backing, collectable, objects, onProgress);
  for (let look = 1; look <= 2; look++) await marks.add(request.roots());
  const old = (items: Map<string, StockItem>) =>
    [...items.values()].filter(({ hash, storedAt }) => storedAt < before && !marks.has(hash));
  const [oldObjects, oldFiles] = [old(objects), old(files)];
  if (!dryRun) {
    onProgress(`deletes ${oldObjects.length} objects and ${oldFiles.length} files`);
    await remove(collectable.objects, oldObjects, before);
    await remove(collectable.files, oldFiles, before);
  }
  const garbage = new Set(oldObjects.map(({ hash }) => hash));
  const parts = await removeParts(collectable, { garbage, before, dryRun });
  return {
    before: new Date(before).toISOString(),
    dry_run: dryRun,
    all: count([...objects.values(), ...files.values()]),
    referred_to: [...objects.keys(), ...files.keys()].filter((hash) => marks.has(hash)).length,
    removed: { objects: count(oldObjects), files: count(oldFiles), parts },
  };
}

/** The hashes that are referred to. */
class Marks {
  private readonly hashes = new Set<string>();
  /** Those that are read too: a mark of the trail alone is not. */
  private readonly sources = new Set<string>();

  constructor(
    private readonly backing: CollectableBacking,
    private readonly collectable: Collectable,
    private readonly objects: ReadonlyMap<string, unknown>,
    private readonly onProgress: (text: string) => void,
  ) {}

  has(hash: string): boolean {
    return this.hashes.has(hash);
  }

  async add(roots: AsyncIterable<string>): Promise<void> {
    let next = new Set<string>();
    for await (const text of roots) {
      this.mark(text, next);
      if (next.size >= GROUP) next = await this.follow(next);
    }
    // The result of an effect answers when its turn's id is used again. Its transcript need not stay, but the block that the trail
    // is checked against does.
    for await (const { result_ref: result, head, result_head: resultHead } of this.collectable.effects()) {
      if (result !== null) this.mark(result, next);
      for (const hash of [head, resultHead]) if (hash) this.hashes.add(hash);
    }
    for await (const read of this.backing.trail.entries(checkTrailQuery({})))
      if ('entry' in read) this.hashes.add(read.entry.block);
    while (next.size > 0) next = await this.follow(next);
  }

  private mark(text: string, next: Set<string>): void {
    for (const [hash] of text.matchAll(HASH)) {
      if (this.sources.has(hash)) continue;
      this.sources.add(hash);
      this.hashes.add(hash);
      this.hashes.add(objectOfFile(hash)); // it may be a file, which refers to nothing
      next.add(hash);
    }
  }

  /** @returns what those objects refer to @throws Error if one of them cannot be read: what it refers to is unknown */
  private async follow(hashes: Set<string>): Promise<Set<string>> {
    const next = new Set<string>();
    const all = [...hashes];
    for (let start = 0; start < all.length; start += GROUP) {
      const group = all.slice(start, start + GROUP);
      const read = await this.backing.objects.getEach(group);
      const found = new Set(read.map(({ hash }) => hash));
      const missing = group.find((hash) => this.objects.has(hash) && !found.has(hash));
      if (missing !== undefined) await this.backing.objects.get(missing); // throws, and says why
      for (const { lines } of read) for (const line of lines) this.mark(line, next);
      this.onProgress(`${this.sources.size} references`);
    }
    return next;
  }
}

async function inventory(stock: Collectable['objects']): Promise<Map<string, StockItem>> {
  const items = new Map<string, StockItem>();
  for await (const item of stock.list()) items.set(item.hash, item);
  return items;
}

async function remove(stock: Collectable['objects'], items: StockItem[], before: number): Promise<void> {
  for (let start = 0; start < items.length; start += GROUP)
    await stock.remove(
      items.slice(start, start + GROUP).map(({ hash }) => hash),
      before,
    );
}

/** Parts of days before the limit that no row names: such a name never comes into a row again (part-store.ts). */
async function removeParts(
  { outside, objects }: Collectable,
  { garbage, before, dryRun }: { garbage: Set<string>; before: number; dryRun: boolean },
): Promise<Count> {
  if (outside === undefined) return { number: 0, bytes: 0 };
  const { parts, rows } = outside;
  const day = new Date(before).toISOString().slice(0, 10);
  const old = new Map<string, number>();
  for await (const { name, size } of parts.list()) if (readPartName(name)!.day < day) old.set(name, size);
  const left = [...(await inventory(objects)).keys()].filter((hash) => !garbage.has(hash));
  for (let start = 0; start < left.length; start += GROUP) {
    const group = left.slice(start, start + GROUP);
    const read = await rows(group);
    if (read.length < group.length)
      throw new Error('Objects vanished while the store was collected: does another collection run?');
    for (const { lines } of read) for (const line of lines) old.delete(outsideIn(line) ?? '');
  }
  if (!dryRun) await parts.remove([...old.keys()]);
  return { number: old.size, bytes: [...old.values()].reduce((sum, size) => sum + size, 0) };
}

function count(items: StockItem[]): Count {
  return { number: items.length, bytes: items.reduce((sum, { bytes }) => sum + bytes, 0) };
}
