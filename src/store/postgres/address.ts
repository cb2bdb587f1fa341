/** HOLDFAST_STORE=postgres://… taken apart. */
import { withoutPassword } from '../../shared/without-password';

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
