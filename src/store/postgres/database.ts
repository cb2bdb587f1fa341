/**
 * Pooled connections to PostgreSQL. Every statement of `query` may run twice: after a lost connection it is unknown whether the
 * statement took effect, so it is sent again, on another connection, until it is answered or the time is over.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { optionalPackage } from '../../optional-package';
import { withoutPassword } from '../../shared/text/secrets';
import { StoreServerError } from '../store';

const CONNECT_WITHIN_MS = 5000;
const ANSWER_WITHIN_MS = 30_000;
/** As long as a restart with recovery, or a failover, usually takes, so that an effect that happened gets its record. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export type Value = string | number | Buffer | null | string[];

export class Database {
  // Private fields, so that code that prints or logs a whole store does not show them: both hold the password.
  readonly #pool: Pool;
  readonly #address: Address;
  #closing: Promise<void> | undefined;
  #hasAnswered = false;

  private constructor(pool: Pool, address: Address) {
    this.#pool = pool;
    this.#address = address;
  }

  /** The URL without its password. */
  get displayUrl(): string {
    return this.#address.displayUrl;
  }

  /** Does not connect yet. @throws Error in one line for a URL that cannot be used */
  static async at(url: string): Promise<Database> {
    const address = addressOf(url);
    const { Pool } = optionalPackage<typeof import('pg')>('pg', 'PostgreSQL');
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
      throw databaseError(error, address, false); // such as a certificate file that is missing
    }
    // A broken idle connection is replaced when one is needed; without a listener, its error would end the process.
    pool.on('error', () => undefined);
    return new Database(pool, address);
  }

  /**
   * One statement, one round trip.
   * @param sql a statement that changes nothing more when it runs again
   * @throws StoreServerError
   */
  async query<Row extends QueryResultRow>(sql: string, values: Value[] = []): Promise<Row[]> {
    const until = Date.now() + PATIENCE_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await this.ask<Row>(sql, values);
      } catch (error) {
        if (!this.isPassing(error) || Date.now() + pause > until) throw this.errorOf(error);
        await wait(pause * (0.5 + Math.random() / 2));
      }
    }
  }

  /** The same without retries, for callers that want the present state. */
  async queryNow<Row extends QueryResultRow>(sql: string, values: Value[] = []): Promise<Row[]> {
    try {
      return await this.ask<Row>(sql, values);
    } catch (error) {
      throw this.errorOf(error);
    }
  }

  /** All or nothing; not repeated. @throws StoreServerError; what the body throws */
  async transaction<T>(body: (client: PoolClient) => Promise<T>): Promise<T> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw this.errorOf(error);
    }
    let broken = true;
    try {
      await client.query('BEGIN');
      const result = await body(client);
      await client.query('COMMIT');
      broken = false;
      return result;
    } catch (error) {
      throw (error as { severity?: unknown }).severity === undefined && !this.isPassing(error) ? error : this.errorOf(error);
    } finally {
      client.release(broken); // a connection with half a transaction is not used again
    }
  }

  private async ask<Row extends QueryResultRow>(sql: string, values: Value[]): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row>(sql, values);
    this.#hasAnswered = true;
    return rows;
  }

  private isPassing(error: unknown): boolean {
    return isPassing(error, this.#hasAnswered);
  }

  private errorOf(error: unknown): StoreServerError {
    return databaseError(error, this.#address, this.isPassing(error));
  }

  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }
}

// Errors of PostgreSQL, or of the connection to it, in one line that says what to do and shows no row and no password.

/** SQLSTATE or system code → what to do. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const TODO: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Is PostgreSQL running there?',
  ENOTFOUND: 'Is the host name right?',
  EAI_AGAIN: 'Is the host name right?',
  '28P01': 'Are user and password in HOLDFAST_STORE right?',
  '28000': 'Does pg_hba.conf let this user in from here, and does it want TLS (?sslmode=verify-full)?',
  '3D000': 'Create the database (createdb), or name another one in HOLDFAST_STORE.',
  '42501': 'Grant this user what it needs: see docs/operations.md, "PostgreSQL as the store".',
  '25006': 'HOLDFAST_STORE must name the primary, not a standby.',
  '53100': 'The disk of PostgreSQL is full.',
  '55P03': 'Something uses a table for long, such as a backup: start again once that has ended.',
  '53300': 'Raise max_connections, or lower pool_max in HOLDFAST_STORE.',
};

/** After these errors the same statement is likely to work a little later. */
const PASSING = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
  ...['57P01', '57P02', '57P03', '53300', '40001', '40P01'], // shutting down, crashed, starting up, too many connections, lost to another transaction
]);
/** The same from a server that has answered before: its name may lead to another one, or not yet, as in a failover. */
const AFTER_FAILOVER = new Set(['ENOTFOUND', '25006']);
/** Errors of the driver itself have no code. */
const CONNECTION_LOSS = /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired)/;

/** The driver's errors carry rows (`detail`) and the client with its password: only code and message are passed on. */
function databaseError(error: unknown, { displayUrl, password }: Address, isPassing: boolean): StoreServerError {
  const { message } = innermost(error);
  const code = codeOf(error);
  const reason = (password === '' ? message : message.replaceAll(password, '…')).split('\n')[0]!.slice(0, 300);
  const todo = TODO[code] ?? 'If it goes on, its own log says more.';
  return new StoreServerError(
    `HOLDFAST_STORE (${displayUrl}): ${code === '' || reason.includes(code) ? reason : `${reason} (${code})`}. ${todo}`,
    code,
    isPassing,
  );
}

/**
 * True if it is unknown whether the statement took effect, or if it did not and may still succeed.
 * @param hasAnswered whether the database has answered this process before: while a container is down, its name leads nowhere
 */
function isPassing(error: unknown, hasAnswered: boolean): boolean {
  const code = codeOf(error);
  return (
    PASSING.has(code) ||
    (hasAnswered && AFTER_FAILOVER.has(code)) ||
    code.startsWith('08') ||
    CONNECTION_LOSS.test(innermost(error).message)
  );
}

function codeOf(error: unknown): string {
  const { code } = innermost(error);
  return typeof code === 'string' ? code : '';
}

/** Node tries each address of a host, and then throws all their errors together, without a message. */
function innermost(error: unknown): { message: string; code?: unknown } {
  const { errors, message } = error as { errors?: unknown; message?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return innermost(errors[0]);
  return typeof message === 'string' ? (error as { message: string }) : { message: String(error) };
}

// Parses HOLDFAST_STORE=postgres://….

export interface Address {
  /** Passed to the driver. */
  url: string;
  password: string;
  /** For screens and logs. */
  displayUrl: string;
  /** Most connections of this process. */
  poolMax: number;
}

const DEFAULT_POOL_MAX = 10;

/** @throws Error in one line that does not show the URL: a password in it may not be recognizable */
export function addressOf(text: string): Address {
  const url = parseUrl(text);
  const poolMaxText = url.searchParams.get('pool_max');
  if (poolMaxText !== null && !/^[1-9]\d{0,2}$/.test(poolMaxText))
    throw new Error(`HOLDFAST_STORE: pool_max is ${JSON.stringify(poolMaxText.slice(0, 20))}; it must be a number from 1 to 999`);
  url.searchParams.delete('pool_max');
  if (url.pathname.length < 2)
    throw new Error('HOLDFAST_STORE names no database; it must be postgres://USER:PASSWORD@HOST/DATABASE');
  const password = url.searchParams.get('password') ?? decodeComponent(url.password);
  return { url: url.href, password, displayUrl: withoutPassword(url.href), poolMax: Number(poolMaxText ?? DEFAULT_POOL_MAX) };
}

function parseUrl(text: string): URL {
  try {
    const url = new URL(text);
    decodeComponent(url.password);
    // An @ or a / that was not encoded moves the text after it into another part of the URL.
    if (!url.pathname.includes('@') && !url.hash) return url;
  } catch {
    // reported below, without the given text
  }
  throw new Error(
    'HOLDFAST_STORE is no URL of the form postgres://USER:PASSWORD@HOST/DATABASE; in user and password, characters such as @ / # ? % must be percent-encoded',
  );
}

function decodeComponent(text: string): string {
  return decodeURIComponent(text);
}
