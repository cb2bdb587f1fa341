/** What PostgreSQL, or the way to it, answered, in one line that says what to do and shows no row and no password. */
import { withoutPassword } from '../../shared/text/secrets';

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
  '53300': 'Raise max_connections, or lower pool_max in HOLDFAST_STORE.',
};

/** Of these it is known, or may be hoped, that the same statement works a little later. */
const PASSING = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
  ...['57P01', '57P02', '57P03', '53300', '40001', '40P01'], // shutting down, crashed, starting up, too many connections, lost to another transaction
]);
/** Errors of the driver itself have no code. */
const LOST = /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired)/;

export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** The driver's errors carry rows (`detail`) and the client with its password: nothing of them is passed on but code and message. */
export function databaseError(error: unknown, { shown, password }: Address): DatabaseError {
  const { message } = innermost(error);
  const code = codeOf(error);
  const said = (password === '' ? message : message.replaceAll(password, '…')).split('\n')[0]!.slice(0, 300);
  const todo = TODO[code] ?? 'If it goes on, its own log says more.';
  return new DatabaseError(
    `HOLDFAST_STORE (${shown}): ${code === '' || said.includes(code) ? said : `${said} (${code})`}. ${todo}`,
    code,
  );
}

/** True when it is not known whether the statement counted, or known that it did not and may yet. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  return PASSING.has(code) || code.startsWith('08') || LOST.test(innermost(error).message);
}

function codeOf(error: unknown): string {
  const { code } = innermost(error);
  return typeof code === 'string' ? code : '';
}

/** Node tries each address of a host, and then throws them all, without a message. */
function innermost(error: unknown): { message: string; code?: unknown } {
  const { errors, message } = error as { errors?: unknown; message?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return innermost(errors[0]);
  return typeof message === 'string' ? (error as { message: string }) : { message: String(error) };
}

// HOLDFAST_STORE=postgres://… taken apart.

export interface Address {
  /** What the driver is given. */
  url: string;
  password: string;
  /** For screens and logs. */
  shown: string;
  /** Connections of this process at most. */
  poolMax: number;
}

const DEFAULT_POOL_MAX = 10;

/** @throws Error in one line that does not show the URL: it may hold a password where it cannot be told from the rest */
export function addressOf(text: string): Address {
  const url = parsed(text);
  const given = url.searchParams.get('pool_max');
  if (given !== null && !/^[1-9]\d{0,2}$/.test(given))
    throw new Error(`HOLDFAST_STORE: pool_max is ${JSON.stringify(given.slice(0, 20))}; it must be a number from 1 to 999`);
  url.searchParams.delete('pool_max');
  if (url.pathname.length < 2)
    throw new Error('HOLDFAST_STORE names no database; it must be postgres://USER:PASSWORD@HOST/DATABASE');
  const password = url.searchParams.get('password') ?? decoded(url.password);
  return { url: url.href, password, shown: withoutPassword(url.href), poolMax: Number(given ?? DEFAULT_POOL_MAX) };
}

function parsed(text: string): URL {
  try {
    const url = new URL(text);
    decoded(url.password);
    // An @ or a / that was not encoded moves what follows it into another part.
    if (!url.pathname.includes('@') && !url.hash) return url;
  } catch {
    // told below, without what was given
  }
  throw new Error(
    'HOLDFAST_STORE is no URL of the form postgres://USER:PASSWORD@HOST/DATABASE; in user and password, characters such as @ / # ? % must be percent-encoded',
  );
}

function decoded(text: string): string {
  return decodeURIComponent(text);
}
