/** A PostgreSQL server for stores: a fresh database for each, and a way to kill it. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type QueryResult } from 'pg';
import type { SupervisedProcess } from '../../../../src/devserver/server-process';
import { freePort } from '../../../support/free-port';
import { findPostgres } from '../../support/native-binaries';
import { servePostgres, SQL_USER, startPostgres } from '../../support/native-postgres';

const START_WITHIN_MS = 30_000;

const missing =
  process.platform !== 'linux'
    ? 'the tests start PostgreSQL on Linux only'
    : findPostgres()
      ? null
      : 'there is no PostgreSQL: install it (apt-get install postgresql), or name its bin folder in HOLDFAST_POSTGRES_BIN';
if (missing && process.env.HOLDFAST_REQUIRE_POSTGRES !== '1')
  console.warn(`Tests of stores in PostgreSQL are skipped: ${missing}. HOLDFAST_REQUIRE_POSTGRES=1 makes this a failure.`);

/** `describe`, or `describe.skip` where there is no PostgreSQL and nobody insists. */
export const describePostgres = missing && process.env.HOLDFAST_REQUIRE_POSTGRES !== '1' ? describe.skip : describe;

export class StoreServer {
  /** As awkward as a password may be. */
  static readonly PASSWORD = 'p@ss/w:r#d? %41';
  private count = 0;
  private readonly pools = new Map<string, Pool>();

  private constructor(
    private readonly folder: string,
    readonly port: number,
    private server: SupervisedProcess,
  ) {}

  static async start(): Promise<StoreServer> {
    if (missing) throw new Error(`No PostgreSQL: ${missing}.`);
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-postgres-'));
    await chmod(folder, 0o755); // PostgreSQL's user must get through
    const passwordFile = join(folder, 'password');
    await writeFile(passwordFile, StoreServer.PASSWORD, { mode: 0o600 });
    const data = join(folder, 'postgres');
    await mkdir(data);
    const port = await freePort();
    const server = await startPostgres({ bin: findPostgres()!, folder: data, port, passwordFile });
    return new StoreServer(folder, port, server);
  }

  /** HOLDFAST_STORE of a database of its own. */
  async fresh(options = ''): Promise<string> {
    const name = `store_${++this.count}_${randomBytes(4).toString('hex')}`;
    await this.run('postgres', `CREATE DATABASE ${name} ${options}`);
    return this.url(name);
  }

  url(database: string, user = SQL_USER, password: string = StoreServer.PASSWORD, port = this.port): string {
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  }

  async run(database: string, sql: string, values: unknown[] = []): Promise<QueryResult> {
    let pool = this.pools.get(database);
    if (!pool) {
      pool = new Pool({ connectionString: this.url(database), max: 1 });
      pool.on('error', () => undefined);
      this.pools.set(database, pool);
    }
    return pool.query(sql, values);
  }

  /** As `kill -9` and a power cut of the process: nothing is written down orderly. */
  async kill(): Promise<void> {
    process.kill(await this.server.pid, 'SIGKILL');
    await this.server.exited;
  }

  /** After `kill`. Children of the old server may hold its memory for a moment: then it is tried again. */
  async again(): Promise<void> {
    const options = { bin: findPostgres()!, folder: join(this.folder, 'postgres'), port: this.port };
    for (const until = Date.now() + START_WITHIN_MS; ; await sleep(100)) {
      try {
        this.server = await servePostgres(options);
        return;
      } catch (error) {
        if (Date.now() > until) throw error;
      }
    }
  }

  async stop(): Promise<void> {
    for (const pool of this.pools.values()) await pool.end();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
