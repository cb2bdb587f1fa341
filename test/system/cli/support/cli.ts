/** Runs the real command line, as a person or a script would. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Ran } from '../../../support/command-line';

export { environment, lines } from '../../../support/command-line';

export const MAIN = join(__dirname, '../../../../dist/cli/main.js');

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
