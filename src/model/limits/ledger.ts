/**
 * The ledger of one model in the store: what counts towards its limits over all workers, and who waits. Pure functions;
 * place.ts decides by it who may begin.
 *
 * Requests: those of the last window, by the time at which they began; no window contains more than the limit.
 * Tokens: a request reserves what it may take until it has ended, and then counts with what it took for one window.
 * Concurrency: each request has a lease with an end. If its worker dies, the lease ends by itself, and its tokens count as taken.
 * The vendor: pauses that it asked for, and what it says is left of its own limits (vendor-room.ts).
 *
 * Times are ms since 1970 by the store's clock; a time further in the future than it can have been written is reduced.
 */
import { addToWindow, isWindow, moveInWindow, presentCells, raiseInWindow, type WindowCells } from '../../shared/sliding-window';
import { isJsonObject, type Json } from '../../shared/json/json';
import { isQueue, presentQueue, withoutTicket, type FairQueue } from './queue';
import type { RateReport } from '../provider';
import { isScarce, presentRoom, roomOf, type VendorRoom } from './vendor-room';

export interface Lease {
  id: string;
  until: number;
  /** Reserved until it ends. */
  tokens: number;
}

export interface ModelLedger {
  requests: WindowCells;
  tokens: WindowCells;
  /** The longest answer in each cell of the window, tokens. */
  answers: WindowCells;
  leases: Lease[];
  queue: FairQueue;
  /** End of the pause that the vendor asked for; 0: none. */
  hold_until: number;
  vendor_requests: VendorRoom | null;
  vendor_tokens: VendorRoom | null;
  /** How many requests have begun: tells which of them an answer's headers know of. */
  begun: number;
}

/** A lease that is not renewed ends after this long, ms. */
export const LEASE_MS = 30_000;
/** Longest pause that a vendor can cause, ms: a longer wish is a failure of the request. */
export const LONGEST_HOLD_MS = 3_600_000;
/** A request may reach the vendor this much later than it began here, ms: it counts for so much longer than the window. */
export const LAG_MS = 1000;

/** Now, by the store's clock, and the length of the window. */
export interface Moment {
  windowMs: number;
  now: number;
}

const EMPTY: ModelLedger = {
  requests: [],
  tokens: [],
  answers: [],
  leases: [],
  queue: [],
  hold_until: 0,
  vendor_requests: null,
  vendor_tokens: null,
  begun: 0,
};

/** The ledger in a register's value at this moment; a value of another shape counts as empty. */
export function ledgerAt(value: Json, { windowMs, now }: Moment): ModelLedger {
  const ledger = isLedger(value) ? value : EMPTY;
  const leases = ledger.leases.map((lease) => ({ ...lease, until: Math.min(lease.until, now + LEASE_MS) }));
  const lost = leases.filter(({ until }) => until <= now).reduce((sum, { tokens }) => sum + tokens, 0);
  const perMs = windowMs + LAG_MS;
  const tokens = presentCells(ledger.tokens, perMs, now);
  return {
    requests: presentCells(ledger.requests, perMs, now),
    tokens: lost === 0 ? tokens : addToWindow(tokens, lost, perMs, now),
    answers: presentCells(ledger.answers, perMs, now),
    leases: leases.filter(({ until }) => until > now),
    queue: presentQueue(ledger.queue, now),
    hold_until: ledger.hold_until > now ? Math.min(ledger.hold_until, now + LONGEST_HOLD_MS) : 0,
    vendor_requests: presentRoom(ledger.vendor_requests, now),
    vendor_tokens: presentRoom(ledger.vendor_tokens, now),
    begun: ledger.begun,
  };
}

/** A request begins later than it was let, at `from`: it counts from now on. */
export function beginsLater(ledger: ModelLedger, from: number, { windowMs, now }: Moment): ModelLedger {
  return { ...ledger, requests: moveInWindow(ledger.requests, 1, windowMs + LAG_MS, { from, to: now }) };
}

/** Nobody has to be counted, and nobody waits. */
export function isIdle({ queue, hold_until, vendor_requests, vendor_tokens }: ModelLedger): boolean {
  return queue.length === 0 && hold_until === 0 && vendor_requests === null && vendor_tokens === null;
}

/** Renews a running request's lease. `hasLease` false: the lease had ended, and its place may be another's. */
export function renew(ledger: ModelLedger, id: string, now: number): { ledger: ModelLedger; hasLease: boolean } {
  const hasLease = ledger.leases.some((lease) => lease.id === id);
  const leases = ledger.leases.map((lease) => (lease.id === id ? { ...lease, until: now + LEASE_MS } : lease));
  return { ledger: { ...ledger, leases }, hasLease };
}

/** What a request took, tokens. */
export interface TokenUse {
  all: number;
  answer: number;
}

/** A request has ended. `use` null: nobody knows what it took, so it counts with all that it had reserved. */
export function end(ledger: ModelLedger, id: string, use: TokenUse | null, { windowMs, now }: Moment): ModelLedger {
  const lease = ledger.leases.find((one) => one.id === id);
  if (lease === undefined) return ledger; // its tokens count already
  const perMs = windowMs + LAG_MS;
  const tokens = use?.all ?? lease.tokens;
  return {
    ...ledger,
    leases: others(ledger.leases, id),
    tokens: tokens > 0 ? addToWindow(ledger.tokens, tokens, perMs, now) : ledger.tokens,
    answers: use === null ? ledger.answers : raiseInWindow(ledger.answers, use.answer, perMs, now),
  };
}

/** A waiter gives up. */
export function leaveQueue(ledger: ModelLedger, id: string): ModelLedger {
  return { ...ledger, queue: withoutTicket(ledger.queue, id) };
}

/** Records a pause of `ms` that the vendor asked for; never shortens an earlier one. */
export function hold(ledger: ModelLedger, ms: number, now: number): ModelLedger {
  return { ...ledger, hold_until: Math.max(ledger.hold_until, now + Math.min(ms, LONGEST_HOLD_MS)) };
}

/**
 * Takes over what the vendor says is left, from the answer to request `number`. Requests that began after it are subtracted. It is
 * kept only if little is left, or if others wait.
 */
export function noteRates(ledger: ModelLedger, { requests, tokens }: RateReport, number: number, now: number): ModelLedger {
  const later = Math.max(0, ledger.begun - number);
  const waits = ledger.queue.length > 0;
  const toKeep = (room: VendorRoom) => (isScarce(room) || waits ? room : null);
  const vendor_requests = requests === undefined ? ledger.vendor_requests : toKeep(roomOf(requests, later, now));
  const vendor_tokens = tokens === undefined ? ledger.vendor_tokens : toKeep(roomOf(tokens, 0, now));
  if (vendor_requests === ledger.vendor_requests && vendor_tokens === ledger.vendor_tokens) return ledger; // both null, mostly
  return { ...ledger, vendor_requests, vendor_tokens };
}

/** All but the one of this id. */
export function others(leases: Lease[], id: string): Lease[] {
  return leases.filter((lease) => lease.id !== id);
}

function isLedger(value: unknown): value is ModelLedger {
  const ledger = (isJsonObject(value as Json) ? value : {}) as Partial<ModelLedger>;
  const { requests, tokens, answers, leases, queue, hold_until, vendor_requests, vendor_tokens, begun } = ledger;
  return (
    [requests, tokens, answers].every(isWindow) &&
    Array.isArray(leases) &&
    leases.every((lease) => typeof lease?.id === 'string' && Number.isFinite(lease.until) && Number.isFinite(lease.tokens)) &&
    isQueue(queue) &&
    Number.isFinite(hold_until) &&
    Number.isFinite(begun) &&
    [vendor_requests, vendor_tokens].every(isRoom)
  );
}

function isRoom(value: unknown): value is VendorRoom | null {
  if (value === null) return true;
  const { limit, left, until, whole } = (isJsonObject(value as Json) ? value : {}) as Partial<VendorRoom>;
  return (
    (limit === null || Number.isFinite(limit)) && Number.isFinite(left) && Number.isFinite(until) && typeof whole === 'boolean'
  );
}
