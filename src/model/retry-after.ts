/** How long the vendor asks to wait, read from response headers. */

/** Longest wait that is believed, ms: a wrong date must not park a turn for a year. */
const MAX_WAIT_MS = 24 * 3_600_000;

/** What the functions here need of `Headers`. */
export interface HeaderReader {
  get(name: string): string | null;
}

/**
 * Milliseconds to wait, from `retry-after-ms` or else `Retry-After` (seconds, or an HTTP date; RFC 9110,
 * section 10.2.3). Undefined when there is none, or none that makes sense.
 */
export function retryAfterMs(headers: HeaderReader | undefined, now: number): number | undefined {
  const exact = number(headers?.get('retry-after-ms'));
  if (exact !== undefined) return Math.min(Math.ceil(exact), MAX_WAIT_MS);
  const text = headers?.get('retry-after')?.trim();
  if (!text) return undefined;
  const seconds = number(text);
  if (seconds !== undefined) return Math.min(Math.ceil(seconds * 1000), MAX_WAIT_MS);
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), MAX_WAIT_MS);
}

/** `x-should-retry`: the vendor's own word, above any table. */
export function shouldRetry(headers: HeaderReader | undefined): boolean | undefined {
  const word = headers?.get('x-should-retry')?.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

function number(text: string | null | undefined): number | undefined {
  return text && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
