/** A Temporal dev server over a database file, which can be killed and started again where it was. */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { isGone } from './fault-stage';

export class KillableServer {
  /** Every server process that there was. */
  readonly pids: number[] = [];
  private server!: DevServer;

  private constructor(
    private readonly cli: string,
    private readonly dir: string,
    readonly port: number,
  ) {}

  static async start(): Promise<KillableServer> {
    const { path } = await findTemporalCli();
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-fault-db-'));
    // Below the ports that the system hands out: nobody must be given this one while the server is dead.
    const killable = new KillableServer(path, dir, randomInt(20_000, 32_000));
    await killable.up();
    return killable;
  }

  get address(): string {
    return this.server.address;
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    process.kill(this.server.pid, 'SIGKILL');
    await this.server.exited;
    if (!isGone(this.server.pid)) throw new Error('The server has survived kill -9.');
  }

  /** Same port, same file. */
  async up(): Promise<void> {
    this.server = await startDevServer({
      cli: this.cli,
      port: this.port,
      dbFilename: join(this.dir, 'temporal.db'),
      headless: true,
    });
    this.pids.push(this.server.pid);
  }

  async close(): Promise<void> {
    await this.server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}
