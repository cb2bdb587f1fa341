/** Starts an HTTP server in a process of its own for the benchmark: the gateway, as `holdfast gateway` does, or the bare server. */
import { fork, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { Memory } from './memory-reporter';
import { OUR_TASK_QUEUE } from './task-queues';

const REPORTER = pathToFileURL(join(__dirname, 'memory-reporter.ts')).href;
const FLAGS = ['--expose-gc', '--import', 'tsx', '--import', REPORTER];
/** So high that no limit affects the measurement. */
const NO_LIMIT = '9999999';

export class Face {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly headers: Record<string, string>,
  ) {}

  /** The whole gateway, with files as its store. @param profile folder for a CPU profile of it */
  static async gateway({ address, home, profile }: { address: string; home: string; profile?: string }): Promise<Face> {
    const token = `hft_${randomBytes(32).toString('base64url')}`;
    const token_sha256 = createHash('sha256').update(token).digest('hex');
    const env = {
      ...process.env,
      TEMPORAL_ADDRESS: address,
      HOLDFAST_HOME: home,
      HOLDFAST_TASK_QUEUE: OUR_TASK_QUEUE,
      HOLDFAST_HTTP_RATE: NO_LIMIT,
      HOLDFAST_TOKENS: JSON.stringify([{ principal: 'bench/load', roles: ['starter', 'approver'], token_sha256 }]),
    };
    const main = join(__dirname, '../../src/cli/main.ts');
    const flags = profile === undefined ? FLAGS : [...FLAGS, '--cpu-prof', `--cpu-prof-dir=${profile}`];
    return Face.of(main, ['--json', 'gateway', '--http-port', '0'], { env, flags, authorization: `Bearer ${token}` });
  }

  static bare(address: string): Promise<Face> {
    return Face.of(join(__dirname, 'bare-face.ts'), [address], { env: process.env, flags: FLAGS });
  }

  private static async of(
    program: string,
    args: string[],
    { env, flags, authorization }: { env: NodeJS.ProcessEnv; flags: string[]; authorization?: string },
  ): Promise<Face> {
    const child = fork(program, args, { execArgv: flags, env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const lines = createInterface(child.stdout!);
    const [line] = (await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`A face of the benchmark has ended (exit code ${code}); its message stands above.`);
      }),
    ])) as [string];
    const { url } = JSON.parse(line) as { url: string };
    return new Face(child, url, authorization === undefined ? {} : { authorization });
  }

  get pid(): number {
    return this.child.pid!;
  }

  async memory(): Promise<Memory> {
    this.child.send('memory');
    const [memory] = (await once(this.child, 'message')) as [Memory];
    return memory;
  }

  async stop(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exit;
  }
}
