/**
 * Lists and reads the searchable files of a folder. Numbers and sizes are bounded, and symbolic links are not followed, so that
 * nothing outside is read.
 */
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ENDINGS } from './text';

export interface FolderLimits {
  files: number;
  /** Bytes of one file; larger ones are left out. */
  fileBytes: number;
  /** Bytes of all files together. */
  totalBytes: number;
}

export const LIMITS: FolderLimits = { files: 5_000, fileBytes: 2_000_000, totalBytes: 50_000_000 };
const MAX_DEPTH = 20;
/** Files and folders that are examined; the rest is left out. */
const MAX_ENTRIES = 100_000;

export interface FileState {
  /** Relative to the folder, with `/`. */
  path: string;
  size: number;
  /** Changes when the file does. */
  stamp: string;
}

export interface Listing {
  files: FileState[];
  /** Files with a searchable ending that are left out: too large, too many, unreadable. */
  leftOut: number;
}

/** Sorted by path. @throws Error when the folder itself cannot be read */
export async function listFolder(folder: string, limits: FolderLimits, signal?: AbortSignal): Promise<Listing> {
  const files: FileState[] = [];
  let leftOut = 0;
  let entries = 0;
  let bytes = 0;
  const walk = async (under: string, depth: number): Promise<void> => {
    signal?.throwIfAborted();
    const dirEntries = await readdir(join(folder, under), { withFileTypes: true }).catch((error: unknown) => {
      if (under === '') throw error;
      return []; // removed meanwhile, or may not be read
    });
    dirEntries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of dirEntries) {
      if (++entries > MAX_ENTRIES) return;
      const path = under === '' ? entry.name : `${under}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && depth < MAX_DEPTH) await walk(path, depth + 1);
      if (!entry.isFile() || !ENDINGS.some((ending) => entry.name.toLowerCase().endsWith(ending))) continue;
      const state = await stateOf(folder, path);
      const fits = state !== null && state.size <= limits.fileBytes && bytes + state.size <= limits.totalBytes;
      if (!fits || files.length >= limits.files) leftOut += 1;
      else {
        files.push(state);
        bytes += state.size;
      }
    }
  };
  await walk('', 0);
  return { files, leftOut };
}

async function stateOf(folder: string, path: string): Promise<FileState | null> {
  const stats = await lstat(join(folder, path), { bigint: true }).catch(() => null);
  if (stats === null || !stats.isFile()) return null;
  return { path, size: Number(stats.size), stamp: `${stats.size}:${stats.mtimeNs}:${stats.ino}` };
}

/** The file's text; null if it is gone, no longer a plain file, or too large. */
export async function readText(folder: string, path: string, limits: FolderLimits): Promise<string | null> {
  try {
    const file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: Infinity }));
      if (size > limits.fileBytes) return null;
      return (await file.readFile()).toString('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
