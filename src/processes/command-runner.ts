/**
 * Runs beside a command, in the command's namespaces: starts it, ends its process group on request or when the worker is gone, and
 * reports how it ended. It is a process of its own, because only the parent of a command learns which signal ended it, and the
 * worker, outside of the namespace, is not its parent. Usage: `node command-runner.js`, with a socket to the worker as descriptor 3.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { statSync, accessSync, constants } from 'node:fs';
import { Socket } from 'node:net';
import { join, delimiter } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The first line from the worker; any further line asks to end the command. */
export interface Work {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Identity of the folder to run in, when it was opened: another folder may be at its path now. */
  folder: { dev: string; ino: string };
}

/**
 * Lines to the worker. Before `starting` nothing can have run, and the worker trusts them. After it the command may have taken the
 * socket, and a line proves nothing.
 */
export type Told =
  | { ready: true }
  | { notStarted: string }
  | { starting: true }
  | { started: number }
  | { exitCode: number | null; signal: string | null; error?: string };

/** The compiled form of this file, also if this was loaded from source. */
export const INSIDE = join(__dirname, '../../dist/processes/command-runner.js');

/** Time between SIGTERM and SIGKILL for a group, ms. */
export const GRACE_MS = 2000;

export function main(): void {
  const worker = new Socket({ fd: 3, readable: true, writable: true });
  const tell = (message: Told) => new Promise<void>((resolve) => worker.write(`${JSON.stringify(message)}\n`, () => resolve()));
  const end = (message: Told) => void tell(message).then(() => process.exit(0));
  let child: ChildProcess | undefined;
  const ask = () => void (child?.pid !== undefined && endGroup(child.pid));
  worker.on('error', () => undefined); // `close` reports its end
  void tell({ ready: true });
  createInterface({ input: worker })
    .on('line', (line) => {
      if (child) return ask();
      const { command, args, env, folder } = JSON.parse(line) as Work;
      const here = statSync('.', { bigint: true });
      if (String(here.dev) !== folder.dev || String(here.ino) !== folder.ino)
        return end({ notStarted: 'the folder to run in is not the one that was opened' });
      const file = findProgram(command, env.PATH ?? '');
      if (file === undefined) return end({ notStarted: `${command} is not installed (PATH is ${env.PATH ?? 'not set'})` });
      void tell({ starting: true });
      // Both outputs through one pipe, so that their order is kept.
      child = spawn(file, args, { argv0: command, env, detached: true, stdio: ['ignore', 1, 1] });
      child.once('spawn', () => void tell({ started: child!.pid! }));
      child.once('error', (error) => end({ exitCode: null, signal: null, error: error.message }));
      child.once('exit', (exitCode, signal) => void endGroup(child!.pid!).then(() => end({ exitCode, signal })));
    })
    .on('close', () => void (child?.pid === undefined ? process.exit(1) : ask()));
}

let ending: Promise<void> | undefined;

/** Asks the group to end, and kills it if it does not. Resolves when no process of it is left, or none can be killed. */
function endGroup(pid: number): Promise<void> {
  return (ending ??= (async () => {
    if (!signalGroup(pid, 'SIGTERM')) return;
    const until = Date.now() + GRACE_MS;
    while (Date.now() < until) {
      await sleep(20);
      if (!signalGroup(pid, 0)) return;
    }
    for (let i = 0; i < 50 && signalGroup(pid, 'SIGKILL'); i++) await sleep(20);
  })());
}

/** False when the group has no more processes. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

if (require.main === module) main();

// Finds a program as a shell does.

/** Its whole path; undefined if no folder of `path` has it. */
export function findProgram(name: string, path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
