/** The command line as a user runs it: in a process of its own, with a home folder of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const MAIN = join(__dirname, '../../../dist/cli/main.js');

export interface Holdfast {
  readonly pid: number;
  /** All that it has printed, on both streams. */
  output(): string;
  /** What it has printed on stdout. */
  stdout(): string;
  /** Waits until the output matches. Throws with the output when the process ends first, or takes too long. */
  printed(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  /** The exit code; a signal's name when one ended it. */
  ended: Promise<number | string>;
  /** Ends it as Ctrl-C does; by force when that takes too long. */
  stop(): Promise<void>;
}

/** Starts `holdfast ARGS`. The settings of the user who runs the tests do not reach it. */
export function holdfast(home: string, args: string[], more: NodeJS.ProcessEnv = {}): Holdfast {
  return program(home, process.execPath, [MAIN, ...args], more);
}

/** Starts another command, as `holdfast` is. @param folder where it runs; default: this process's */
export function program(home: string, command: string, args: string[], more: NodeJS.ProcessEnv, folder?: string): Holdfast {
  const child = spawn(command, args, { cwd: folder, env: environment(home, more), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (output += text));
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  );
  let over = false;
  void ended.then(() => (over = true));
  return {
    pid: child.pid!,
    output: () => output,
    stdout: () => stdout,
    ended,
    async printed(pattern, withinMs = 120_000) {
      const until = Date.now() + withinMs;
      for (;;) {
        const found = pattern.exec(output);
        if (found) return found;
        if (over || Date.now() > until) {
          throw new Error(`${args.join(' ')} ${over ? 'ended' : 'went on'} without printing ${pattern}. It printed:\n${output}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop() {
      if (over) return;
      child.kill('SIGINT');
      const force = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(force);
    },
  };
}

/** Runs `holdfast ARGS --json` to its end, and returns its answer. */
export async function holdfastJson<T>(home: string, args: string[]): Promise<T> {
  const process = holdfast(home, [...args, '--json']);
  const code = await process.ended;
  if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}:\n${process.output()}`);
  return JSON.parse(process.stdout()) as T;
}

function environment(home: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(TEMPORAL_|ANTHROPIC_|HOLDFAST_(?!TEMPORAL_CLI$))/;
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  return { ...own, HOLDFAST_HOME: home, HOLDFAST_MODEL: 'rehearsal', HOLDFAST_LOG_LEVEL: 'warn', ...more };
}
