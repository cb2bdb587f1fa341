/** Controls a side's process for the benchmark: starts it, runs batches, receives its messages, stops it. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Batch, BatchResult, ModelRequestAt, Said, SideOptions } from './side';

export class Side {
  private constructor(private readonly child: ChildProcess) {}

  /**
   * @param profile folder for CPU profiles, one for each thread
   * @param heapMb what the heap of a thread may grow to
   */
  static async start(options: SideOptions, profile?: string, heapMb?: number): Promise<Side> {
    const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
    const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
    const child = fork(join(__dirname, 'side.ts'), [JSON.stringify(options)], {
      execArgv: ['--import', 'tsx', ...heap, ...profiling],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await heard(child, 'ready');
    return new Side(child);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Runs a batch; the result names the turns that failed. */
  async tryRun(batch: Batch): Promise<BatchResult> {
    this.child.send(batch);
    return (await heard(this.child, 'batch')).result;
  }

  /** Runs a batch; a turn that fails is an error. */
  async run(batch: Batch): Promise<BatchResult> {
    const result = await this.tryRun(batch);
    const [failure] = result.failed;
    if (failure !== undefined) throw new Error(`${result.failed.length} turns of the benchmark failed; the first: ${failure}`);
    return result;
  }

  /** The model requests from now on, for a side with `tellRequests`. */
  requests(): ModelRequestAt[] {
    const requests: ModelRequestAt[] = [];
    this.child.on('message', (message: Said) => void (message.said === 'asked' && requests.push(message)));
    return requests;
  }

  /** Resolves when the next destructive call runs. */
  nextPaid(): Promise<Extract<Said, { said: 'paid' }>> {
    return heard(this.child, 'paid');
  }

  /** Resolves when the next model request is made, for a side with `tellRequests`. */
  nextRequest(): Promise<unknown> {
    return heard(this.child, 'asked');
  }

  /** The keys of the destructive calls from now on; of calls that end later, their tokens. */
  keys(): string[] {
    const keys: string[] = [];
    this.child.on('message', (message: Said) => void (message.said === 'paid' && keys.push(message.key)));
    return keys;
  }

  /** Starts turns, and does not wait for their ends. */
  startOnly(batch: Batch): void {
    this.child.send({ ...batch, startOnly: true });
  }

  /** Ends the process without letting its turns end. */
  async kill(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  async stop(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.send('stop');
    await exit;
  }
}

/** The next message of a kind, or an error when the process ends instead. */
function heard<S extends Said['said']>(child: ChildProcess, said: S): Promise<Extract<Said, { said: S }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: Said) => {
      if (message.said !== said) return;
      stop();
      resolve(message as Extract<Said, { said: S }>);
    };
    const onExit = (code: number | null) => {
      stop();
      reject(new Error(`A side of the benchmark has ended (exit code ${code}); its message stands above.`));
    };
    const stop = () => child.off('message', onMessage).off('exit', onExit);
    child.on('message', onMessage).on('exit', onExit);
  });
}
