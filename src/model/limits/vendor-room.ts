/**
 * What a vendor says is left of its own limits, in the headers of its answers: read from the headers, and counted down by each
 * request until the vendor says it anew. Anthropic's and OpenAI's names are read, which other vendors use too.
 */
import type { ModelCallbacks, RateReport, RateRoom } from '../provider';

/** What is needed of `Headers`. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** A longer time is no limit a minute: the vendor will refuse, and say how long to wait. */
const LONGEST_RESET_MS = 3_600_000;

/** Undefined: the headers say nothing about limits that can be understood. */
export function rateReport(headers: HeaderReader, now: number): RateReport | undefined {
  const requests = ofAnthropic(headers, 'requests', now) ?? ofOthers(headers, 'requests', now);
  // `tokens` is the tightest of Anthropic's token limits; servers that lack it may have those of input.
  const tokens =
    ofAnthropic(headers, 'tokens', now) ?? ofAnthropic(headers, 'input-tokens', now) ?? ofOthers(headers, 'tokens', now);
  if (requests === undefined && tokens === undefined) return undefined;
  return { ...(requests ? { requests } : {}), ...(tokens ? { tokens } : {}) };
}

/** Tells whoever wants to know. */
export function tellRates({ onRates }: ModelCallbacks, headers: HeaderReader): void {
  const report = onRates === undefined ? undefined : rateReport(headers, Date.now());
  if (report !== undefined) onRates?.(report);
}

/** Until the limit that is used up is whole again, ms; undefined: none is, or the vendor does not say. */
export function usedUpMs(headers: HeaderReader, now: number): number | undefined {
  const { requests, tokens } = rateReport(headers, now) ?? {};
  const waits = [requests, tokens].filter((room) => room?.remaining === 0).map((room) => room!.resetMs);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function ofAnthropic(headers: HeaderReader, what: string, now: number): RateRoom | undefined {
  const read = (part: string) => headers.get(`anthropic-ratelimit-${what}-${part}`);
  return room(read('limit'), read('remaining'), dateOrDuration(read('reset'), now));
}

function ofOthers(headers: HeaderReader, what: string, now: number): RateRoom | undefined {
  const read = (part: string) => headers.get(`x-ratelimit-${part}-${what}`);
  return room(read('limit'), read('remaining'), dateOrDuration(read('reset'), now));
}

function room(limit: string | null, remaining: string | null, resetMs: number | undefined): RateRoom | undefined {
  const left = wholeNumber(remaining);
  if (left === undefined || resetMs === undefined || resetMs > LONGEST_RESET_MS) return undefined;
  return { limit: wholeNumber(limit) ?? null, remaining: left, resetMs };
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

const DURATION = /^(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;
/** A plain number above this is a time since 1970, in seconds. */
const EPOCH_SECONDS = 1_000_000_000;

/** `2026-11-28T12:00:00Z`, `6m0s`, `20ms`, `1.5` (seconds), `1795867200` (seconds since 1970). */
function dateOrDuration(text: string | null, now: number): number | undefined {
  const value = text?.trim();
  if (!value) return undefined;
  if (/^\d{1,12}(\.\d{1,9})?$/.test(value)) {
    const seconds = Number(value);
    return Math.ceil(seconds >= EPOCH_SECONDS ? Math.max(0, seconds * 1000 - now) : seconds * 1000);
  }
  const [matched, hours = '0', minutes = '0', seconds = '0', ms = '0'] = DURATION.exec(value) ?? [];
  if (matched !== undefined)
    return Math.ceil(Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(ms));
  const date = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

// The room as the ledger keeps it.

export interface VendorRoom {
  limit: number | null;
  /** Below 0: more requests are under way than the vendor has room for. */
  left: number;
  /** ms since 1970: then it is whole again. */
  until: number;
  /** It became whole again, and the vendor has not said anything since. */
  whole: boolean;
}

/** As long as a whole room is counted down without a word of the vendor, ms. */
const WHOLE_MS = 60_000;
/** Less than this share of the limit is left: from here on it is counted. */
const SCARCE = 0.25;
/** The same if the vendor does not say its limit. */
const SCARCE_COUNT = 10;

/** @param later what requests took of which the vendor did not know when it said this */
export function roomOf({ limit, remaining, resetMs }: RateRoom, later: number, now: number): VendorRoom {
  return { limit, left: remaining - later, until: now + Math.min(resetMs, LONGEST_RESET_MS), whole: false };
}

export function isScarce({ limit, left }: VendorRoom): boolean {
  return limit === null ? left < SCARCE_COUNT : left < limit * SCARCE;
}

/** Null: nothing is known any more. A clock that was set back delays by an hour at most. */
export function presentRoom(room: VendorRoom | null, now: number): VendorRoom | null {
  if (room === null) return null;
  if (room.until > now) return { ...room, until: Math.min(room.until, now + LONGEST_RESET_MS) };
  if (room.whole || room.limit === null) return null;
  return { limit: room.limit, left: room.limit, until: now + WHOLE_MS, whole: true };
}

export function lessRoom(room: VendorRoom | null, amount: number): VendorRoom | null {
  return room === null ? null : { ...room, left: room.left - amount };
}

/** When it has room for the amount, ms since 1970; 0: at once. An amount above the whole limit needs the whole room. */
export function vendorRoomAt(room: VendorRoom | null, amount: number): number {
  if (room === null) return 0;
  const needed = room.limit === null ? amount : Math.min(amount, room.limit);
  return room.left >= needed ? 0 : room.until;
}
