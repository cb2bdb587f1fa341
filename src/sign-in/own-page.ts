/**
 * Whether a request with a cookie comes from our own page. Browsers send cookies by themselves, so a cookie alone does not show that
 * our page sent the request. `Sec-Fetch-Site` and `Origin` do: no page can write them.
 */
import { isLoopbackName, sameHost } from '../shared/wire/cross-site-check';

export interface BrowserHeaders {
  host?: string | undefined;
  origin?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the method may change nothing. */
export function isSafe(method: string): boolean {
  return SAFE.has(method);
}

/**
 * For a request that changes nothing: a browser that says where it comes from must say that it is us, or the person who typed the
 * address. A page of a sibling host counts as another site.
 */
export function mayRead({ 'sec-fetch-site': site }: BrowserHeaders): boolean {
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** For all other requests: the browser must say that they come from our own page. Null: it does. */
export function originFault(headers: BrowserHeaders, publicUrl: string): string | null {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return 'The browser says that a page of another site sent this.';
  if (origin === undefined)
    return site === undefined ? 'The header Origin is missing, with which browsers say which page sends a request.' : null;
  if (origin === new URL(publicUrl).origin) return null;
  // On this machine people also write 127.0.0.1, or another port than the settings know.
  const from = URL.canParse(origin) ? new URL(origin) : null;
  if (from !== null && host !== undefined && isLoopbackName(from.hostname) && sameHost(from, host)) return null;
  return `The page at ${JSON.stringify(origin.slice(0, 100))} is not the one at HOLDFAST_PUBLIC_URL.`;
}
