/** Runs the real command line, as a person or a script would. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export const MAIN = join(__dirname, '../../../../dist/cli/main.js');

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Nothing of this machine's own settings: a test says what it needs. */
export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = /^(HOLDFAST_(?!TEMPORAL_CLI)|TEMPORAL_|ANTHROPIC_|npm_)/;
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name));
  return { ...Object.fromEntries(kept), HOLDFAST_LOG_LEVEL: 'error', ...more };
}

export interface Running extends ChildProcess {
  output: { stdout: string; stderr: string };
  ended: Promise<Ran>;
}

export function start(args: string[], env: NodeJS.ProcessEnv, cwd?: string): Running {
  const child = spawn(process.execPath, [MAIN, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  return collect(child);
}

export function collect(child: ChildProcess): Running {
  const output = { stdout: '', stderr: '' };
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? (signal === 'SIGKILL' ? 137 : 1), ...output }));
  });
  return Object.assign(child, { output, ended });
}

export function run(args: string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  return start(args, env).ended;
}

/** The lines of a `--json` command. */
export function lines(stdout: string): any[] {
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
