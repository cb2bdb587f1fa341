/**
 * The book of one budget: what was spent within its window, and what is reserved for calls that are about to run.
 *
 * A reservation counts from before the dispatch until its window is over, whatever becomes of the call; a settlement can only make
 * it count less. So a settlement that is lost costs room, never the cap. The window is counted from the
 * latest moment at which the effect can have happened: what counts as spent is in the book whenever it was spent.
 * Amounts are whole numbers as text.
 */
import { hashJson } from './json/digests';
import { jsonBytes } from './json/json';

/** Which budget it is. */
export interface BudgetName {
  agent: string;
  budget: string;
  per: string;
  /** The session, principal or tool; empty: the agent's one. */
  of: string;
}

/** `budget/` and 40 hex: what it is counted per may be any text, and whose it is need not stand in every list. */
export function budgetWorkflowId({ agent, budget, per, of }: BudgetName): string {
  return `budget/${hashJson({ v: 'holdfast.budget/1', agent, budget, per, of }).slice(0, 40)}`;
}

/** What may be counted; an Ethereum amount has 78 digits. */
const AMOUNT = /^(?:0|[1-9]\d{0,99})$/;
/** Reservations and doubts at once: the book travels from run to run, and Temporal takes 2 MB. */
export const MOST_OPEN = 2000;
/** The same in bytes of JSON; two thousand amounts of usual length are less, and so are a thousand of any. */
const OPEN_BYTES = 400_000;
/** What is spent is kept by hundredths of its window. */
const SLICES = 100;
/** Slices of windows of several lengths: beyond, the first two to end become one, which counts until the later end. */
const MAX_SLICES = 300;
/** Closed calls that are remembered, so that a belated repetition does not reserve anew. */
const CLOSED_LIMIT = 200;
/** Open reservations that an answer names. */
export const MAX_OPEN = 100;

/** One dispatch of one call. */
export interface DispatchKey {
  /** The call's idempotency key. */
  key: string;
  dispatch: number;
}

/** A reservation that is not settled for good. */
export interface Entry extends DispatchKey {
  amount: string;
  state: 'reserved' | 'in_doubt';
  /** Counts until then, ms since 1970. */
  until: number;
  window_ms: number;
  /** A person let it go beyond the cap. */
  over: boolean;
}

/** What was spent by calls whose windows end together. */
export interface SpendingSlice {
  until: number;
  amount: string;
  calls: number;
  /** How many of these a person let go beyond the cap. */
  over: number;
}

export interface Book {
  open: Entry[];
  /** By `until`, earliest first. */
  spent: SpendingSlice[];
  /** `<key>/<dispatch>` of what was spent last. */
  closed: string[];
  /** As last asked. */
  terms: { cap: string; window_ms: number } | null;
}

export interface Reservation extends DispatchKey {
  amount: string;
  cap: string;
  window_ms: number;
  /** How long after this the effect may happen, ms. */
  lasts_ms: number;
  /** Dispatches of the same key up to this one are proven `not_applied`; 0: none is. */
  proven: number;
  /** Counts even beyond the cap: a person has approved that, or it was dispatched before. */
  accepted: boolean;
}

export type ReservationAnswer =
  | { granted: true; used: string; over: boolean }
  | {
      granted: false;
      /** Without this one. */
      used: string;
      /** When the window will have freed enough, ms since 1970; null: it never will. */
      frees_at: number | null;
      /** Unsettled, oldest first: one of them may have had no effect. */
      open: DispatchKey[];
    };

export interface BudgetSettlement extends DispatchKey {
  /** `in_doubt` counts as spent. */
  outcome: 'applied' | 'in_doubt' | 'not_applied';
}

export const EMPTY_BOOK: Book = { open: [], spent: [], closed: [], terms: null };

/** True for digits without a sign or leading zeros, at most 100 of them. */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && AMOUNT.test(value);
}

/** What counts now. */
export function usedAmount(book: Book, now: number): bigint {
  return sum(live(book, now));
}

/** Reserves, or says why not. The same dispatch again is the same reservation. */
export function reserve(given: Book, asked: Reservation, now: number): { book: Book; answer: ReservationAnswer } {
  const { amount, cap, window_ms, lasts_ms, accepted } = asked;
  const present = { ...pruneBook(given, now), terms: { cap, window_ms } };
  const repeated = given.closed.includes(nameOf(asked)) || present.open.some(same(asked));
  if (repeated) return { book: present, answer: { granted: true, used: String(usedAmount(present, now)), over: false } };

  const open = present.open.filter(({ key, dispatch }) => key !== asked.key || dispatch > asked.proven);
  const book = { ...present, open };
  const before = usedAmount(book, now);
  const over = before + BigInt(amount) > BigInt(cap);
  if ((over && !accepted) || open.length >= MOST_OPEN || isLarge(open)) {
    const named = open.slice(0, MAX_OPEN).map(({ key, dispatch }) => ({ key, dispatch }));
    return { book, answer: { granted: false, used: String(before), frees_at: freesAt(book, asked, now), open: named } };
  }
  const { key, dispatch } = asked;
  const entry: Entry = { key, dispatch, amount, state: 'reserved', until: now + lasts_ms + window_ms, window_ms, over };
  return { book: { ...book, open: [...open, entry] }, answer: { granted: true, used: String(before), over } };
}

/** What became of a dispatch. One that is not in the book changes nothing: it was settled before, or its window is over. */
export function settle(given: Book, said: BudgetSettlement, now: number): Book {
  const book = pruneBook(given, now);
  const entry = book.open.find(same(said));
  if (!entry) return book;
  if (said.outcome === 'in_doubt') {
    return { ...book, open: book.open.map((other) => (other === entry ? { ...entry, state: 'in_doubt' } : other)) };
  }
  const open = book.open.filter((other) => other !== entry);
  if (said.outcome === 'not_applied') return { ...book, open };
  const closed = [...book.closed, nameOf(said)].slice(-CLOSED_LIMIT);
  return { ...book, open, closed, spent: addSpending(book.spent, entry, now) };
}

/** Without what has left its window. */
export function pruneBook(book: Book, now: number): Book {
  const counts = ({ until }: { until: number }) => until > now;
  return { ...book, open: book.open.filter(counts), spent: book.spent.filter(counts) };
}

/** When the last of it leaves its window, ms since 1970; null: nothing counts. */
export function countsUntil({ open, spent }: Book): number | null {
  const ends = [...open, ...spent].map(({ until }) => until);
  return ends.length === 0 ? null : ends.reduce((a, b) => Math.max(a, b));
}

/** What happened has happened by now, so its window ends a window from now at the latest; rounded up to a slice. */
function addSpending(spent: SpendingSlice[], { until, window_ms, amount, over }: Entry, now: number): SpendingSlice[] {
  const slice = Math.max(1, Math.ceil(window_ms / SLICES));
  const end = Math.ceil(Math.min(until, now + window_ms) / slice) * slice;
  const before = spent.find((one) => one.until === end) ?? { until: end, amount: '0', calls: 0, over: 0 };
  const after = {
    until: end,
    amount: String(BigInt(before.amount) + BigInt(amount)),
    calls: before.calls + 1,
    over: before.over + (over ? 1 : 0),
  };
  return mergeOldest([...spent.filter((one) => one !== before), after].sort((a, b) => a.until - b.until));
}

function isLarge(open: Entry[]): boolean {
  return open.length > MOST_OPEN / 2 && jsonBytes(open) > OPEN_BYTES;
}

function mergeOldest(spent: SpendingSlice[]): SpendingSlice[] {
  const [first, second, ...others] = spent;
  if (spent.length <= MAX_SLICES || !first || !second) return spent;
  const amount = String(BigInt(first.amount) + BigInt(second.amount));
  return [{ until: second.until, amount, calls: first.calls + second.calls, over: first.over + second.over }, ...others];
}

function freesAt(book: Book, { amount, cap }: Reservation, now: number): number | null {
  if (BigInt(amount) > BigInt(cap)) return null;
  let left = usedAmount(book, now);
  const ends = live(book, now).sort((a, b) => a.until - b.until);
  for (const one of ends) {
    left -= BigInt(one.amount);
    if (left + BigInt(amount) <= BigInt(cap)) return one.until;
  }
  return now;
}

function live({ open, spent }: Book, now: number): { until: number; amount: string }[] {
  return [...open, ...spent].filter(({ until }) => until > now);
}

function sum(parts: { amount: string }[]): bigint {
  return parts.reduce((total, { amount }) => total + BigInt(amount), 0n);
}

function same(one: DispatchKey): (other: DispatchKey) => boolean {
  return ({ key, dispatch }) => key === one.key && dispatch === one.dispatch;
}

function nameOf({ key, dispatch }: DispatchKey): string {
  return `${key}/${dispatch}`;
}

/**
 * ms since 1970 of a text in the form of ISO 8601, UTC; NaN for a time that no calendar has: V8 takes 24:00 and the 30th of
 * February for the day after.
 */
export function calendarMs(time: string): number {
  const ms = Date.parse(time);
  const isDay = !Number.isNaN(ms) && !time.startsWith('0000') && time.startsWith(new Date(ms).toISOString().slice(0, 19));
  return isDay ? ms : NaN;
}
