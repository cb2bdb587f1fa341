/** Input fields that several tools of the pack share. */
import { z } from 'zod';
import type { Resources } from 'holdfast/tools';
import { LONGEST_PATH, pathFault, normalizePath } from '../files/path';
import { LONGEST_PATTERN } from '../files/glob-pattern';

export const filePath = z
  .string()
  .min(1)
  .max(LONGEST_PATH)
  .describe('Path of a file from the workspace root, with / between names, e.g. /src/a.ts');

export const folderPath = z
  .string()
  .min(1)
  .max(LONGEST_PATH)
  .default('/')
  .describe('Folder from the workspace root, e.g. /src; / is the root itself');

export const globText = z.string().min(1).max(LONGEST_PATTERN);

export const contentHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('The sha256 of the whole file as you last read or wrote it');

export const cursor = z
  .string()
  .min(1)
  .max(24_000)
  .optional()
  .describe('next_cursor of the page before, exactly; leave out for the first page');

/** Rule target for rules such as `edit_file(/src/**)`. */
export const pathTarget = { kind: 'path' as const, of: ({ path }: { path: string }) => normalizePath(path), protects: ['.git'] };

export const checkPath = ({ path }: { path: string }) => pathFault(path);

/** One name for one file, even if the file system ignores upper and lower case. */
function resource(path: string): string {
  return normalizePath(path).toLowerCase();
}

export function readsOne({ path }: { path: string }): Resources {
  return { reads: [resource(path)], writes: [] };
}

export function writesOne({ path }: { path: string }): Resources {
  return { reads: [], writes: [resource(path)] };
}

export function readsAll(): Resources {
  return { reads: ['*'], writes: [] };
}
