/**
 * Writes and reads `HOME/dev.json`, by which other commands find the embedded stack that runs here. It counts only while its
 * process lives.
 */
import { readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../store/files/atomic-file';

const devState = z.object({
  /** Of the process that runs the stack. */
  pid: z.number().int().positive(),
  address: z.string(),
  namespace: z.string(),
  ui_url: z.string().nullable(),
  started_at: z.string(),
  smtp_port: z.number().int().positive().optional(),
});

export type DevState = z.infer<typeof devState>;

const pathIn = (home: string) => join(home, 'dev.json');

/** Everybody who may read the folder may read the file. */
export async function writeDevState(home: string, state: DevState): Promise<void> {
  await mkdir(home, { recursive: true });
  await replaceFile(home, pathIn(home), Buffer.from(`${JSON.stringify(state, null, 2)}\n`), 0o666);
}

/** The stack that runs here, or null: none was started, or it has ended, or the file has another format. */
export function readDevState(home: string): DevState | null {
  try {
    const state = devState.parse(JSON.parse(readFileSync(pathIn(home), 'utf8')));
    return isAlive(state.pid) ? state : null;
  } catch {
    return null;
  }
}

/** Removes the file, unless it is that of another live stack. */
export function removeDevState(home: string, pid: number = process.pid): void {
  const state = readDevState(home);
  if (state === null || state.pid === pid) rmSync(pathIn(home), { force: true });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
