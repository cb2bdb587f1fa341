/**
 * Runs one command in a process group and in namespaces of its own (`processes/isolation.ts`). Whatever ends the call (the command
 * itself, its time limit, a cancellation, the end of this process) ends the whole group, and the namespace with the processes that
 * left the group.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GRACE_MS, INSIDE, isJsonObject, isolated, type Told, type Work } from 'holdfast/tools';
import { CommandOutput } from './output';

/** Time for output that is still in the pipes after the group's end, ms. */
const DRAIN = 500;
/** Time for the group to end, and for the report of its end, ms. */
const LAST = GRACE_MS + 3000;

/** Limit for all reports about a command, bytes. */
const MAX_REPORT_BYTES = 10_000;

const PLAIN = ['--noprofile', '--norc'];

export interface CommandEnd {
  exitCode: number | null;
  /** Name of the signal that ended the shell. */
  signal: string | null;
  timedOut: boolean;
  output: CommandOutput;
}

/** Thrown only if certainly nothing was started. */
export class NotStarted extends Error {}

/** @throws NotIsolated, NotStarted; the signal's reason once the whole group has ended */
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
  const { dev, ino } = await stat(cwd, { bigint: true });
  const before = await isolated();
  signal.throwIfAborted();
  // The command is an argument, never part of a composed text.
  const work: Work = { command: 'bash', args: [...PLAIN, '-c', '--', command], env, folder: { dev: `${dev}`, ino: `${ino}` } };
  const running = RunningCommand.start(before, cwd, work);
  const output = new CommandOutput();
  running.onOutput((chunk) => {
    output.add(chunk);
    onOutput?.(output.bytes);
  });
  const stop = () => running.stop();
  let timedOut = false;
  let timer: NodeJS.Timeout | undefined;
  try {
    signal.addEventListener('abort', stop, { once: true });
    timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    await running.whenStarted;
    const { exitCode, signal: endedBy, error } = await running.whenEnded;
    // The error came when the command could already forge it, so the command may have run.
    if (error !== undefined) throw new Error(`The command may not have been started: ${String(error).slice(0, 300)}`);
    await Promise.race([running.whenClosed, sleep(DRAIN, undefined, { ref: false })]);
    if (signal.aborted) throw signal.reason;
    return { exitCode, signal: endedBy, timedOut, output };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    running.release();
  }
}

type CommandExit = Pick<CommandEnd, 'exitCode' | 'signal'> & { error?: string };

/** The command as this process sees it: through its parent, the process of `command-runner.ts`. */
class RunningCommand {
  /** Rejects with NotStarted if certainly nothing ran. */
  readonly whenStarted: Promise<void>;
  /** Resolves when the group has ended. */
  readonly whenEnded: Promise<CommandExit>;
  /** Resolves when no process holds the output any more. */
  readonly whenClosed: Promise<void>;
  private readonly child: ChildProcess;
  private readonly inside: Duplex;
  private stopping: NodeJS.Timeout | undefined;
  private ready = false;
  /** From now on the command may have run, and may send reports in the place of its parent. */
  private starting = false;
  private pid: number | undefined;
  private exit: CommandExit | undefined;

  /** @throws NotStarted */
  static start(before: readonly string[], cwd: string, work: Work): RunningCommand {
    try {
      return new RunningCommand(before, cwd, work);
    } catch (error) {
      throw new NotStarted((error as Error).message, { cause: error });
    }
  }

  private constructor(
    private readonly before: readonly string[],
    cwd: string,
    work: Work,
  ) {
    const [command, ...args] = [...before, process.execPath, INSIDE];
    const env = { PATH: process.env.PATH ?? '' };
    this.child = spawn(command!, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
    const failure = new Promise<never>((_resolve, reject) => {
      this.child.once('error', (error) => reject(new NotStarted(error.message, { cause: error })));
    });
    this.inside = this.child.stdio[3] as Duplex;
    this.inside.on('error', () => undefined); // `close` reports its end
    const lines = createInterface({ input: this.inside });
    // A command can take this socket from its parent: its reports count for this command alone, and only in the known form.
    const giveUp = () => {
      lines.close();
      this.inside.destroy();
    };
    let heard = 0;
    this.inside.on('data', (chunk: Buffer) => (heard += chunk.length) > MAX_REPORT_BYTES && giveUp());
    const startReport = new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => {
        const report = parseReport(line);
        if (report === null) giveUp();
        else if ('ready' in report) {
          this.ready = true;
          this.inside.write(`${JSON.stringify(work)}\n`);
        } else if ('starting' in report) this.starting = true;
        else if ('notStarted' in report) {
          if (this.starting) return giveUp();
          reject(new NotStarted(report.notStarted));
        } else if ('started' in report) {
          this.pid = report.started;
          resolve();
        } else this.exit = report;
      });
      lines.once('close', () => {
        if (!this.ready) reject(new NotStarted('the process that starts commands ended before it received the command'));
        resolve(); // the command may have killed its parent before the parent could report even this
      });
    });
    this.whenStarted = Promise.race([startReport, failure]);
    this.whenEnded = new Promise((resolve) => {
      lines.once('close', () => resolve(this.exit ?? { exitCode: null, signal: 'SIGKILL' }));
    });
    this.whenStarted.catch(() => undefined); // callers that wait get the rejection
    this.whenClosed = new Promise((resolve) => this.child.once('close', () => resolve()));
  }

  onOutput(take: (chunk: Buffer) => void): void {
    this.child.stdout!.on('data', take);
  }

  /** Asks the parent to end the group, and kills it here after a time: the command may have killed its parent. */
  stop(): void {
    if (!this.ready) return this.kill();
    if (this.inside.writable) this.inside.write('end\n');
    this.stopping ??= setTimeout(() => this.kill(), LAST);
  }

  release(): void {
    clearTimeout(this.stopping);
    this.kill();
    this.inside.destroy();
    this.child.stdout!.destroy();
  }

  /** A namespace ends with its first process; without a namespace, the group is killed. */
  private kill(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    if (this.before.length > 0 || this.pid === undefined || this.exit !== undefined) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // gone already
    }
  }
}

function parseReport(line: string): Told | null {
  try {
    const report: unknown = JSON.parse(line);
    return isJsonObject(report) ? (report as unknown as Told) : null;
  } catch {
    return null;
  }
}
