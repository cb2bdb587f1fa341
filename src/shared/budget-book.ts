/**
 * The book of one budget: what was spent within its window, and what is reserved for calls that are about to run.
 *
 * A reservation counts from before the dispatch until its window is over, however the call ends. A settlement can only make it
 * count less, so a lost settlement costs room and never exceeds the cap. The window starts at the latest moment at which the effect
 * can have happened, so spending is in the book for its whole window. Amounts are whole numbers as text.
 */
import { hashJson } from './json/digests';
import { jsonBytes } from './json/json';

/** Identifies a budget. */
export interface BudgetName {
  agent: string;
  budget: string;
  per: string;
  /** The session, principal or tool; empty: one budget for the agent. */
  of: string;
}

/** `budget/` and 40 hex, a hash: `of` may be any text, and not every list of workflows should show whose budget it is. */
export function budgetWorkflowId({ agent, budget, per, of }: BudgetName): string {
  return `budget/${hashJson({ v: 'holdfast.budget/1', agent, budget, per, of }).slice(0, 40)}`;
}

/** Up to 100 digits; an Ethereum amount has 78. */
const AMOUNT = /^(?:0|[1-9]\d{0,99})$/;
/** Most reservations and doubts at once: the book travels from run to run, and Temporal takes 2 MB. */
export const MOST_OPEN = 2000;
/** The same limit in bytes of JSON. Two thousand amounts of usual length take less, and so do a thousand of any length. */
const OPEN_BYTES = 400_000;
/** Spent amounts are summed in slices of a hundredth of the window. */
const SLICES = 100;
/**
 * Most slices; windows of several lengths make more. Beyond it, the two that end first are merged and count until the later end.
 */
const MAX_SLICES = 300;
/** Most closed calls that the book remembers, so that a late repetition does not reserve again. */
const CLOSED_LIMIT = 200;
/** Most open reservations that an answer lists. */
export const MAX_OPEN = 100;

/** One dispatch of one call. */
export interface DispatchKey {
  /** The call's idempotency key. */
  key: string;
  dispatch: number;
}

/** A reservation without a final settlement. */
export interface Entry extends DispatchKey {
  amount: string;
  state: 'reserved' | 'in_doubt';
  /** ms since 1970; the entry counts until then. */
  until: number;
  window_ms: number;
  /** A person let it go beyond the cap. */
  over: boolean;
}

/** The total of calls whose windows end at the same time. */
export interface SpendingSlice {
  until: number;
  amount: string;
  calls: number;
  /** How many of them a person let go beyond the cap. */
  over: number;
}

export interface Book {
  open: Entry[];
  /** By `until`, earliest first. */
  spent: SpendingSlice[];
  /** `<key>/<dispatch>` of the last spent dispatches. */
  closed: string[];
  /** Of the last request. */
  terms: { cap: string; window_ms: number } | null;
}

export interface Reservation extends DispatchKey {
  amount: string;
  cap: string;
  window_ms: number;
  /** How long after this reservation the effect may happen, ms. */
  lasts_ms: number;
  /** Dispatches of the same key up to this one are proven `not_applied`; 0: none is proven. */
  proven: number;
  /** Counts even beyond the cap: a person approved that, or the call was dispatched before. */
  accepted: boolean;
}

export type ReservationAnswer =
  | { granted: true; used: string; over: boolean }
  | {
      granted: false;
      /** Without this reservation. */
      used: string;
      /** When enough of the window will be free, ms since 1970; null: never. */
      frees_at: number | null;
      /** Unsettled dispatches, oldest first: one of them may have had no effect. */
      open: DispatchKey[];
    };

export interface BudgetSettlement extends DispatchKey {
  /** `in_doubt` counts as spent. `pending`: the reservation lasts longer. */
  outcome: 'applied' | 'in_doubt' | 'not_applied' | 'pending';
  /** Of a pending dispatch: the latest time at which its effect may happen, ms since 1970. */
  until?: number;
}

export const EMPTY_BOOK: Book = { open: [], spent: [], closed: [], terms: null };

/** True for digits without a sign or leading zeros, at most 100 of them. */
export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && AMOUNT.test(value);
}

/** What counts at `now`. */
export function usedAmount(book: Book, now: number): bigint {
  return sum(live(book, now));
}

/** Reserves, or says why not. A repeated dispatch keeps its one reservation. */
export function reserve(current: Book, request: Reservation, now: number): { book: Book; answer: ReservationAnswer } {
  const { amount, cap, window_ms, lasts_ms, accepted } = request;
  const present = { ...pruneBook(current, now), terms: { cap, window_ms } };
  const isRepeat = current.closed.includes(nameOf(request)) || present.open.some(same(request));
  if (isRepeat) return { book: present, answer: { granted: true, used: String(usedAmount(present, now)), over: false } };

  const open = present.open.filter(({ key, dispatch }) => key !== request.key || dispatch > request.proven);
  const book = { ...present, open };
  const before = usedAmount(book, now);
  const over = before + BigInt(amount) > BigInt(cap);
  if ((over && !accepted) || open.length >= MOST_OPEN || isLarge(open)) {
    const oldest = open.slice(0, MAX_OPEN).map(({ key, dispatch }) => ({ key, dispatch }));
    return { book, answer: { granted: false, used: String(before), frees_at: freesAt(book, request, now), open: oldest } };
  }
  const { key, dispatch } = request;
  const entry: Entry = { key, dispatch, amount, state: 'reserved', until: now + lasts_ms + window_ms, window_ms, over };
  return { book: { ...book, open: [...open, entry] }, answer: { granted: true, used: String(before), over } };
}

/**
 * Enters how a dispatch ended. A dispatch that is not in the book changes nothing: it was settled before, or its window is over.
 */
export function settle(current: Book, settlement: BudgetSettlement, now: number): Book {
  const book = pruneBook(current, now);
  const entry = book.open.find(same(settlement));
  if (!entry) return book;
  if (settlement.outcome === 'in_doubt') {
    return { ...book, open: book.open.map((other) => (other === entry ? { ...entry, state: 'in_doubt' } : other)) };
  }
  if (settlement.outcome === 'pending') {
    const until = Math.max(entry.until, (settlement.until ?? now) + entry.window_ms);
    return { ...book, open: book.open.map((other) => (other === entry ? { ...entry, until } : other)) };
  }
  const open = book.open.filter((other) => other !== entry);
  if (settlement.outcome === 'not_applied') return { ...book, open };
  const closedKeys = [...book.closed, nameOf(settlement)].slice(-CLOSED_LIMIT);
  return { ...book, open, closed: closedKeys, spent: addSpending(book.spent, entry, now) };
}

/** Drops entries that have left their window. */
export function pruneBook(book: Book, now: number): Book {
  const counts = ({ until }: { until: number }) => until > now;
  return { ...book, open: book.open.filter(counts), spent: book.spent.filter(counts) };
}

/** When the last entry leaves its window, ms since 1970; null: nothing counts. */
export function countsUntil({ open, spent }: Book): number | null {
  const ends = [...open, ...spent].map(({ until }) => until);
  return ends.length === 0 ? null : ends.reduce((a, b) => Math.max(a, b));
}

/** The effect has happened by now, so its window ends at most one window from now; the end is rounded up to a slice. */
function addSpending(slices: SpendingSlice[], { until, window_ms, amount, over }: Entry, now: number): SpendingSlice[] {
  const slice = Math.max(1, Math.ceil(window_ms / SLICES));
  const end = Math.ceil(Math.min(until, now + window_ms) / slice) * slice;
  const before = slices.find((one) => one.until === end) ?? { until: end, amount: '0', calls: 0, over: 0 };
  const after = {
    until: end,
    amount: String(BigInt(before.amount) + BigInt(amount)),
    calls: before.calls + 1,
    over: before.over + (over ? 1 : 0),
  };
  return mergeOldest([...slices.filter((one) => one !== before), after].sort((a, b) => a.until - b.until));
}

function isLarge(open: Entry[]): boolean {
  return open.length > MOST_OPEN / 2 && jsonBytes(open) > OPEN_BYTES;
}

function mergeOldest(slices: SpendingSlice[]): SpendingSlice[] {
  const [first, second, ...others] = slices;
  if (slices.length <= MAX_SLICES || !first || !second) return slices;
  const amount = String(BigInt(first.amount) + BigInt(second.amount));
  return [{ until: second.until, amount, calls: first.calls + second.calls, over: first.over + second.over }, ...others];
}

function freesAt(book: Book, { amount, cap }: Reservation, now: number): number | null {
  if (BigInt(amount) > BigInt(cap)) return null;
  let remaining = usedAmount(book, now);
  const ends = live(book, now).sort((a, b) => a.until - b.until);
  for (const one of ends) {
    remaining -= BigInt(one.amount);
    if (remaining + BigInt(amount) <= BigInt(cap)) return one.until;
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
