/**
 * Walks the workspace in the order of its paths, through open directories, never through a link. One walk is one page of limited
 * size; the next one continues after the last path.
 */
import { opendir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { hasCode } from 'holdfast/tools';
import type { Directory } from './directory';
import type { Names } from './path';

/** How many names one walk looks at. */
export const MOST_ENTRIES = 100_000;
const DEEPEST = 64;
/** Skipped unless asked for: large, and written by programs. */
const IGNORED_FOLDERS = new Set(['.git', 'node_modules']);

export interface WalkEntry {
  path: Names;
  kind: 'file' | 'directory';
  /** The directory that contains it; open while the walk is at this entry. */
  within: Directory;
}

export interface WalkOptions {
  /** Begin after this path. */
  after: Names | null;
  ignored: boolean;
  signal: AbortSignal;
}

/** What a walk left out. */
export class WalkReport {
  entries = 0;
  links = 0;
  unreadable = 0;
  tooDeep = 0;

  /** The walk has looked at the most names that it may, and ends early. */
  get full(): boolean {
    return this.entries >= MOST_ENTRIES;
  }
}

/** Files and directories below `directory`, whose own path is `base`. */
export async function* walk(
  directory: Directory,
  base: Names,
  options: WalkOptions,
  report: WalkReport,
): AsyncGenerator<WalkEntry> {
  for (const entry of await readEntries(directory, options, report)) {
    options.signal.throwIfAborted();
    const path = [...base, entry.name];
    const place = options.after === null ? 1 : comparePaths(path, options.after);
    const above = place < 0 && options.after!.length > path.length && path.every((name, index) => name === options.after![index]);
    if (place <= 0 && !above && !(place === 0 && entry.isDirectory())) continue;
    if (place > 0 && ++report.entries > MOST_ENTRIES) return;
    if (entry.isSymbolicLink()) report.links++;
    else if (entry.isFile()) yield { path, kind: 'file', within: directory };
    else if (entry.isDirectory()) {
      if (!options.ignored && IGNORED_FOLDERS.has(entry.name)) continue;
      if (place > 0) yield { path, kind: 'directory', within: directory };
      if (path.length >= DEEPEST) report.tooDeep++;
      else yield* inside(directory, path, options, report);
      if (report.full) return;
    }
  }
}

async function* inside(parent: Directory, path: Names, options: WalkOptions, report: WalkReport): AsyncGenerator<WalkEntry> {
  let directory: Directory;
  try {
    directory = await parent.directory(path.at(-1)!);
  } catch (error) {
    // Removed, exchanged for a link, or made unreadable since it was listed.
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM')) throw error;
    report.unreadable++;
    return;
  }
  try {
    yield* walk(directory, path, options, report);
  } finally {
    await directory.close();
  }
}

/**
 * Sorted by name, so that a walk can continue where another ended. A directory with far more names than one walk may see is cut.
 */
async function readEntries(directory: Directory, { signal }: WalkOptions, report: WalkReport): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(directory.at())) {
      if (entries.length >= MOST_ENTRIES * 2) break;
      if (entries.length % 1000 === 0) signal.throwIfAborted();
      entries.push(entry);
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'EACCES', 'EPERM')) throw error;
    report.unreadable++;
  }
  return entries.sort((a, b) => compareNames(a.name, b.name));
}

function comparePaths(a: Names, b: Names): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareNames(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
