/**
 * Limits until when an update may arrive. The sender states until when it waits for the answer, as a second argument of the update,
 * and a workflow that reads the update later refuses it. So an update that was reported as not taken is never taken afterwards.
 * Signals carry no such time, and always count.
 */
import { isJsonObject, type Json } from '../json/json';

export interface Waits {
  /** ISO 8601, the sender's clock. */
  until: string;
}

/** How long our own clients wait, ms. */
export const WAITS_MS = 15_000;
/** How far the clocks of a client and of the Temporal server may differ before a report may be wrong, ms. */
export const CLOCKS_APART_MS = 5_000;
/**
 * How far ahead the time may be, ms. An invented time gains no more than a signal does, and a sender whose clock is far ahead gets
 * an error.
 */
const LONGEST_MS = 5 * 60_000;
/** Type of the failure of an update that came too late. */
export const TOO_LATE = 'holdfast.too_late';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The time in the second argument of an update; undefined: there is none, as with a signal. */
export function untilOf(waits: Json | undefined): string | undefined {
  return waits === undefined ? undefined : (waits as unknown as Waits).until;
}

/** Why an update that arrives at this time is refused, or null. @param waits untrusted */
export function lateFault(waits: Json | undefined, nowMs: number): string | null {
  if (waits === undefined) return null;
  const until = isJsonObject(waits) && Object.keys(waits).length === 1 ? waits.until : undefined;
  const untilMs = typeof until === 'string' && TIME.test(until) ? calendarMs(until) : NaN;
  if (Number.isNaN(untilMs)) return 'its second argument must be {"until": "<ISO 8601, UTC, with milliseconds>"}, or absent';
  const now = new Date(nowMs).toISOString();
  if (untilMs < nowMs) return `it arrived at ${now}, after ${until as string}, when its sender no longer waited; send it again`;
  if (untilMs <= nowMs + LONGEST_MS) return null;
  const longest = `${LONGEST_MS / 60_000} minutes`;
  return `its sender waits until ${until as string}, more than ${longest} after it arrived at ${now}; compare the clocks of sender and Temporal server`;
}

/** Seconds or a date (RFC 9110, 10.2.3) → milliseconds; undefined: absent or unreadable. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const ms = Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/**
 * ms since 1970 of an ISO 8601 text in UTC; NaN for a time that no calendar has. V8 would read 24:00 or the 30th of February as a
 * following day.
 */
export function calendarMs(time: string): number {
  const ms = Date.parse(time);
  const isDay = !Number.isNaN(ms) && !time.startsWith('0000') && time.startsWith(new Date(ms).toISOString().slice(0, 19));
  return isDay ? ms : NaN;
}
