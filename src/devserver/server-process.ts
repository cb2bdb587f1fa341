/** Starts a server process that cannot outlive this process. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { plainEnvironment } from '../processes/environment';
import { ownScript } from './own-script';

/** The last lines that the server wrote: enough to show why it ended. */
const KEPT_LINES = 20;

export interface SupervisedProcess {
  /** The server's own process id. */
  pid: Promise<number>;
  /** Exit code, or the signal's name; resolves when the server and its supervisor are gone. */
  exited: Promise<string>;
  hasExited(): boolean;
  lastLines(): string[];
  /** This process may end although the server runs: then the server ends too. */
  unref(): void;
  /** Asks for an orderly end and waits for it. */
  stop(): Promise<void>;
}

/** Starts a server that cannot outlive this process: see supervisor.ts. */
export function startSupervisedProcess(cli: string, args: string[], onLog: (line: string) => void): SupervisedProcess {
  const child = spawn(process.execPath, [...ownScript('supervisor'), cli, ...args], {
    detached: true,
    env: plainEnvironment(), // a server must not see our keys and passwords
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // it is gone already: `exited` reports it
  const lines: string[] = [];
  let server: number | null = null;
  let ending: string | null = null;
  let isGone = false;

  createInterface({ input: child.stderr }).on('line', (line) => {
    if (lines.push(line) > KEPT_LINES) lines.shift();
    onLog(line);
  });
  const exit = new Promise<string>((resolve) => {
    child.on('error', (error) => lines.push(error.message));
    child.on('exit', () => {
      // The supervisor itself was killed. The server holds its end of our pipes open, so this process ends it.
      if (ending === null && server !== null) killQuietly(server);
    });
    child.on('close', (code, signal) => {
      isGone = true;
      resolve(ending ?? String(code ?? signal));
    });
  });
  const pid = new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word, value] = line.split(' ');
      if (word === 'pid') resolve((server = Number(value)));
      if (word === 'exit') ending = value ?? '';
    });
    void exit.then((how) => reject(new Error(`the server did not start (${how})`)));
  });
  pid.catch(() => {}); // `exited` reports it too

  return {
    pid,
    exited: exit,
    hasExited: () => isGone,
    lastLines: () => [...lines],
    unref() {
      child.unref();
      for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket).unref();
    },
    async stop() {
      if (!isGone) child.stdin.write('stop\n');
      await exit;
    },
  };
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone already
  }
}
