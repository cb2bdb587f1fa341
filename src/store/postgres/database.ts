/**
 * Connections to PostgreSQL, pooled. Every statement here is one that may run twice: where a connection is lost nobody knows
 * whether the statement counted, so it is sent again, on another connection, until it is answered or patience ends.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { addressOf, type Address, databaseError, isPassing } from './database-error';

const CONNECT_WITHIN_MS = 5000;
const ANSWER_WITHIN_MS = 30_000;
/** As long as a restart with recovery, or a failover, usually takes: an effect that happened should get its record. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export type Value = string | number | Buffer | null | string[];

export class Database {
  // Hidden also from whoever prints or logs a store whole: both hold the password.
  readonly #pool: Pool;
  readonly #address: Address;

  private constructor(pool: Pool, address: Address) {
    this.#pool = pool;
    this.#address = address;
  }

  /** The URL without its password. */
  get shown(): string {
    return this.#address.shown;
  }

  /** Connects to nothing yet. @throws Error in one line for a URL that cannot be used */
  static async at(url: string): Promise<Database> {
    const address = addressOf(url);
    const { Pool } = await import('pg'); // loaded only where it is wanted
    let pool: Pool;
    try {
      pool = new Pool({
        connectionString: address.url,
        max: address.poolMax,
        connectionTimeoutMillis: CONNECT_WITHIN_MS,
        query_timeout: ANSWER_WITHIN_MS,
        keepAlive: true,
        application_name: 'holdfast',
        allowExitOnIdle: true, // a command ends without closing its store
      });
    } catch (error) {
      throw databaseError(error, address); // such as a certificate's file that is not there
    }
    // An idle connection that breaks is replaced when one is needed; without a listener it would end the process.
    pool.on('error', () => undefined);
    return new Database(pool, address);
  }

  /**
   * One statement, one round trip.
   * @param sql one that changes nothing more when it runs again
   * @throws DatabaseError
   */
  async query<Row extends QueryResultRow>(sql: string, values: Value[] = []): Promise<Row[]> {
    const until = Date.now() + PATIENCE_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return (await this.#pool.query<Row>(sql, values)).rows;
      } catch (error) {
        if (!isPassing(error) || Date.now() + pause > until) throw databaseError(error, this.#address);
        await wait(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  /** The same without patience: for whoever wants to know how things are now. */
  async queryNow<Row extends QueryResultRow>(sql: string, values: Value[] = []): Promise<Row[]> {
    try {
      return (await this.#pool.query<Row>(sql, values)).rows;
    } catch (error) {
      throw databaseError(error, this.#address);
    }
  }

  /** All of it or nothing; not repeated. @throws DatabaseError; what the body throws */
  async transaction<T>(body: (client: PoolClient) => Promise<T>): Promise<T> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw databaseError(error, this.#address);
    }
    let broken = true;
    try {
      await client.query('BEGIN');
      const result = await body(client);
      await client.query('COMMIT');
      broken = false;
      return result;
    } catch (error) {
      throw (error as { severity?: unknown }).severity === undefined && !isPassing(error)
        ? error
        : databaseError(error, this.#address);
    } finally {
      client.release(broken); // one with half a transaction is not used again
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
