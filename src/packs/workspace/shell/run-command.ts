/**
 * Runs one command in a process group of its own. Whatever ends the call (the command itself, its time
 * limit, a cancellation) ends the whole group; only a process that made itself a session of its own
 * gets away, which a container round the worker prevents.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandOutput } from './output';

/** Between asking a group to end and ending it, ms. */
const GRACE = 2000;
/** For output that is still in the pipes once the group is gone, ms. */
const DRAIN = 500;

const PLAIN = ['--noprofile', '--norc'];
/** Both outputs through one pipe, so that their order is kept. The command is an argument, never part of a text that is put together. */
const ONE_PIPE = 'exec bash --noprofile --norc -c -- "$1" 2>&1';

export interface CommandEnd {
  exitCode: number | null;
  /** Name of the signal that ended the shell. */
  signal: string | null;
  timedOut: boolean;
  output: CommandOutput;
}

/** Nothing was started. */
export class NotStarted extends Error {}

/** @throws NotStarted, or the signal's reason once the whole group has ended */
export async function runCommand(
  command: string,
  options: {
    cwd: string;
    env: Record<string, string>;
    timeoutMs: number;
    signal: AbortSignal;
    onOutput?: (bytes: number) => void;
  },
): Promise<CommandEnd> {
  const { cwd, env, timeoutMs, signal, onOutput } = options;
  signal.throwIfAborted();
  const child = start(command, cwd, env);
  const output = new CommandOutput();
  child.stdout!.on('data', (chunk: Buffer) => {
    output.add(chunk);
    onOutput?.(output.bytes);
  });
  const exited = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) =>
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })),
  );
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await started(child);

  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    stop.abort();
  }, timeoutMs);
  try {
    if (signal.aborted) stop.abort();
    await Promise.race([
      exited,
      new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true })),
    ]);
    await endGroup(child.pid!);
    const end = await exited;
    await Promise.race([closed, sleep(DRAIN, undefined, { ref: false })]);
    if (signal.aborted) throw signal.reason;
    return { ...end, timedOut, output };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    child.stdout!.destroy();
  }
}

function start(command: string, cwd: string, env: Record<string, string>): ChildProcess {
  try {
    return spawn('bash', [...PLAIN, '-c', ONE_PIPE, 'bash', command], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    throw new NotStarted((error as Error).message, { cause: error });
  }
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new NotStarted(error.message, { cause: error })));
  });
}

/** Asks the group to end, and ends what does not. Returns once no process of it is left, or can't be ended. */
async function endGroup(pid: number): Promise<void> {
  if (!signalGroup(pid, 'SIGTERM')) return;
  const until = Date.now() + GRACE;
  while (Date.now() < until) {
    await sleep(20);
    if (!signalGroup(pid, 0)) return;
  }
  for (let i = 0; i < 50 && signalGroup(pid, 'SIGKILL'); i++) await sleep(20);
}

/** False when the group has no process any more. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
