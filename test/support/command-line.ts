/** Runs commands of `holdfast` in this process: what they print and their exit codes are the program's, without its start. */
import { Readable, Writable } from 'node:stream';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** None of this machine's own settings: a test sets what it needs. */
export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = /^(HOLDFAST_(?!TEMPORAL_CLI)|TEMPORAL_|ANTHROPIC_|npm_)/;
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name));
  return { ...Object.fromEntries(kept), HOLDFAST_LOG_LEVEL: 'error', ...more };
}

/** A command has the environment and the streams of the process to itself: one at a time. */
let last: Promise<unknown> = Promise.resolve();

/** @param input what it reads from its standard input */
export function run(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ran> {
  const ran = last.then(() => runNow(args, env, input));
  last = ran.catch(() => undefined);
  return ran;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function runNow(args: string[], env: NodeJS.ProcessEnv, input: string): Promise<Ran> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const mine = { env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)), stdout, stderr };
  const parts = { ...mine, stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]) };
  const before = Object.keys(parts).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const);
  const listeners = SIGNALS.map((signal) => process.listeners(signal));
  for (const [name, value] of Object.entries(parts))
    Object.defineProperty(process, name, { value, configurable: true, writable: true, enumerable: true });
  try {
    const { runCommand } = await import('../../src/cli/commands.js');
    const code = await runCommand(['node', 'holdfast', ...args]);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    for (const [name, descriptor] of before) Object.defineProperty(process, name, descriptor);
    for (const [index, signal] of SIGNALS.entries())
      for (const listener of process.listeners(signal)) if (!listeners[index]!.includes(listener)) process.off(signal, listener);
  }
}

class Collected extends Writable {
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}

/** The lines of a `--json` command. */
export function lines(stdout: string): any[] {
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
