/** Controls one process that replays: sends histories to it, and reads its results in order. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { filterEnv, withoutNetwork } from './isolation';
import type { ChildReady, ReplayResult, ReplayRequest } from './protocol';
import { errorMessage } from '../../shared/text/error-message';

/** Longer than any history takes. It ends code that hangs, or a history that was made to hang it. */
export const PATIENCE_MS = 120_000;

/** The process ended, or was ended, without a result. */
export class ReplayProcessExit extends Error {
  override readonly name = 'ReplayProcessExit';
}

export class ReplayProcess {
  private readonly answers: AsyncIterator<string>;
  private readonly lines: Interface;
  private errorOutput = '';
  private readonly kill = () => void this.child.kill('SIGKILL');

  private constructor(
    private readonly child: ChildProcess,
    private readonly patienceMs: number,
  ) {
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.errorOutput = (this.errorOutput + text).slice(-2000)));
    child.stdin!.on('error', () => undefined); // the end of the process says more
    child.on('error', (error) => (this.errorOutput = error.message));
    process.once('exit', this.kill); // no child is left behind, however this process ends
    this.lines = createInterface({ input: child.stdout!, crlfDelay: Infinity });
    this.answers = this.lines[Symbol.asyncIterator]();
  }

  /** @throws ReplayProcessExit when it cannot be started */
  static async start(bundle: string, patienceMs = PATIENCE_MS): Promise<{ replayProcess: ReplayProcess; about: ChildReady }> {
    const [command, ...args] = [...withoutNetwork(), process.execPath, childPath(), bundle];
    const replayProcess = new ReplayProcess(
      spawn(command!, args, { env: filterEnv(process.env), stdio: ['pipe', 'pipe', 'pipe'] }),
      patienceMs,
    );
    return { replayProcess, about: (await replayProcess.next(PATIENCE_MS)) as ChildReady };
  }

  /** @throws ReplayProcessExit */
  async replay(request: ReplayRequest): Promise<ReplayResult> {
    const hasRoom = this.child.stdin!.write(`${JSON.stringify(request)}\n`);
    if (!hasRoom) await Promise.race([once(this.child.stdin!, 'drain'), once(this.child, 'exit')]);
    return (await this.next(this.patienceMs)) as ReplayResult;
  }

  /** Ends the process: its work is done, or nobody waits for its result. */
  stop(): void {
    this.lines.close();
    process.off('exit', this.kill);
    this.kill(); // it holds nothing that has to be closed
  }

  private async next(patienceMs: number): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new ReplayProcessExit(`It took longer than ${patienceMs / 1000} s.`)), patienceMs);
    });
    try {
      const line = await Promise.race([this.answers.next(), timeout]);
      if (line.done)
        throw new ReplayProcessExit(
          `The process that replays has ended${this.errorOutput ? `: ${this.errorOutput.trim()}` : '.'}`,
        );
      return JSON.parse(line.value);
    } catch (error) {
      this.stop();
      throw error instanceof ReplayProcessExit
        ? error
        : new ReplayProcessExit(`The process that replays gave an unreadable answer: ${errorMessage(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** `child.js` is beside this file in the package, and in dist/ when running from source. */
function childPath(): string {
  return join(__dirname.replace(/([\\/])src([\\/]audit[\\/]replay)$/, '$1dist$2'), 'child.js');
}
