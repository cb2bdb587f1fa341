/**
 * Until when whoever sends something to a workflow waits for the answer. The time goes beside what is sent, as a second
 * argument of the update; a workflow that comes to it later refuses it. So nothing that was reported as not taken is taken
 * afterwards. Signals carry no such time, and count whenever they come.
 */
import { calendarMs } from '../budget-book';
import { isJsonObject, type Json } from '../json/json';

export interface Waits {
  /** ISO 8601, the sender's clock. */
  until: string;
}

/** How long our own clients wait, ms. */
export const WAITS_MS = 15_000;
/** By how much the clocks of a client and of the Temporal server may differ before what is reported may be wrong, ms. */
export const CLOCKS_APART_MS = 5_000;
/** So far ahead may a time lie, ms: whoever makes one up gets no more than by a signal, and whose clock is far ahead is told. */
const LONGEST_MS = 5 * 60_000;
/** Type of the failure of an update that came too late. */
export const TOO_LATE = 'holdfast.too_late';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The time in what stands beside an update; undefined: it carries none, like a signal. */
export function untilOf(waits: Json | undefined): string | undefined {
  return waits === undefined ? undefined : (waits as unknown as Waits).until;
}

/** Why an update that arrives at this time is not taken, or null. @param waits from anybody */
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

/** Seconds or a date (RFC 9110, 10.2.3) → milliseconds; undefined: absent or not readable. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const ms = Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
