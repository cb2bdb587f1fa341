/** The fleet's own processes: workers and gateways, each with a way of its own through the network, started again when one ends. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSupervisedProcess, type SupervisedProcess } from '../../src/devserver/server-process';
import { Network } from './network';

const CLI = join(__dirname, '../../dist/cli/main.js');
const CLOCK = join(__dirname, 'clock-step.cjs');
const APP = join(__dirname, 'app.ts');
/** As a container's restart policy does. */
const RESTART_MS = 1000;

export interface MemberOptions {
  /** `worker-1` */
  name: string;
  /** Arguments of `holdfast`. */
  args: string[];
  /** Its settings beside the addresses of Temporal and of the store. */
  env: Record<string, string>;
  temporal: string;
  store: string;
  /** Where its output goes. */
  log: string;
}

export class Member {
  private current: SupervisedProcess | null = null;
  private isClosed = false;
  /** How often it was started again. */
  restarts = 0;

  private constructor(
    readonly name: string,
    private readonly command: string[],
    private readonly log: string,
    readonly network: { temporal: Network; postgres: Network },
  ) {}

  static async start({ name, args, env, temporal, store, log }: MemberOptions): Promise<Member> {
    const [host, port] = temporal.split(':') as [string, string];
    const database = new URL(store);
    const network = {
      temporal: await Network.to(host, Number(port)),
      postgres: await Network.to(database.hostname, Number(database.port)),
    };
    database.port = String(network.postgres.port);
    const settings = {
      ...env,
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_OPTIONS: `--require ${CLOCK}`,
      TEMPORAL_ADDRESS: `127.0.0.1:${network.temporal.port}`,
      HOLDFAST_STORE: database.href,
    };
    const command = ['-i', ...Object.entries(settings).map(([key, value]) => `${key}=${value}`), process.execPath, CLI, ...args];
    const member = new Member(name, command, log, network);
    member.keep();
    return member;
  }

  /** Null while it is being started again. */
  async pid(): Promise<number | null> {
    return this.current === null ? null : this.current.pid.catch(() => null);
  }

  async signal(signal: NodeJS.Signals, to?: number): Promise<void> {
    const pid = await this.pid();
    if (pid === null || (to !== undefined && to !== pid)) return;
    try {
      process.kill(pid, signal);
    } catch {
      // it has ended by itself
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.signal('SIGCONT');
    for (const network of Object.values(this.network)) network.open();
    await this.current?.stop();
    for (const network of Object.values(this.network)) await network.close();
  }

  private keep(): void {
    const say = (line: string) => appendFileSync(this.log, `${line}\n`);
    const current = (this.current = startSupervisedProcess('env', this.command, say));
    void current.exited.then(async (how) => {
      say(`${new Date().toISOString()} ${this.name} ended: ${how}`);
      this.current = null;
      await sleep(RESTART_MS);
      if (this.isClosed) return;
      this.restarts += 1;
      this.keep();
    });
  }
}

export const workerArgs = (): string[] => ['worker', '--app', APP];
export const gatewayArgs = (port: number): string[] => ['gateway', '--app', APP, '--http-port', String(port)];
