/**
 * Decides whether a request may begin now. One that finds no room gets a place in the queue; it begins when there is room for it
 * and for all before it that are there.
 *
 * Few wait at the front of the queue, and stay there; the others are sent away until their turn is near, so that a long queue costs
 * no worker's slots. They keep their places.
 */
import { addToWindow, roomAt, windowTotal, type WindowCells } from '../../shared/sliding-window';
import type { ModelLimits } from '../settings';
import { end, LAG_MS, LEASE_MS, others, type ModelLedger, type Moment } from './ledger';
import { MOST_TICKETS, serve, servingOrder, withTicket, type FairQueue } from './queue';
import { lessRoom, vendorRoomAt } from './vendor-room';

/** A request that wants to begin. */
export interface Asker {
  /** The same for every attempt of one step. */
  id: string;
  /** Its session, or its turn if it has none. */
  of: string;
  inputTokens: number;
  /** The longest answer that it allows. */
  maxTokens: number;
}

export type WaitReason = 'requests' | 'tokens' | 'concurrent' | 'vendor';

export interface Wait {
  ok: false;
  why: WaitReason;
  /** Requests that will be served first. */
  before: number;
  /** At least so long, as far as is known, ms. */
  waitMs: number;
  /** When to come back, ms; null: stay, its turn is near. */
  awayMs: number | null;
}

export type PlaceAnswer = { ok: true; number: number } | Wait;

/** A waiter at the front counts as there for this long after it has asked, ms. */
export const SEEN_MS = 3000;
/** A waiter that does not come back keeps its place for this long, ms: its worker may have died. */
export const KEPT_MS = 120_000;
/** How many stay at the front. */
export const FRONT = 8;
/** Nobody stays for a longer known wait, ms. */
const STAY_MS = 5000;
/** A waiter comes back so long before its turn, ms. */
const EARLY_MS = 2000;
const SHORTEST_AWAY_MS = 1000;
/** The turn may come sooner than expected: others give up. A vendor's pause does not end sooner. */
const LONGEST_AWAY_MS: Record<WaitReason, number> = {
  requests: 30_000,
  tokens: 30_000,
  concurrent: 30_000,
  vendor: 300_000,
};

/** Lets a request begin, or keeps a place in the queue for it. The same id never has two leases, nor two places. */
export function ask(
  current: ModelLedger,
  limits: ModelLimits,
  asker: Asker,
  moment: Moment,
): { ledger: ModelLedger; answer: PlaceAnswer } {
  const ledger = end(current, asker.id, null, moment); // an earlier attempt of the same step is over
  const { windowMs, now } = moment;
  const order = servingOrder(ledger.queue);
  const place = order.findIndex(({ id }) => id === asker.id);
  const before = place === -1 ? countBefore(ledger.queue, asker) : place;
  const there = order.slice(0, before).filter(({ seen_until }) => seen_until > now).length;
  const needed = neededTokens(ledger, limits, asker);
  const { inputTokens } = asker;
  const refusal = findRefusal(ledger, limits, { needed, inputTokens, before, there, windowMs, now });
  if (refusal === null)
    return { ledger: begin(ledger, limits, asker, { needed, ...moment }), answer: { ok: true, number: ledger.begun + 1 } };
  const answer: Wait = { ok: false, before, ...refusal, awayMs: awayMs(before, refusal) };
  if (place === -1 && order.length >= MOST_TICKETS) return { ledger, answer };
  if (answer.awayMs === null && (order[place]?.seen_until ?? 0) > now + SEEN_MS / 2) return { ledger, answer };
  const ticket =
    answer.awayMs === null
      ? { id: asker.id, seen_until: now + SEEN_MS, lost_at: now + KEPT_MS }
      : { id: asker.id, seen_until: now, lost_at: now + answer.awayMs + KEPT_MS };
  return { ledger: { ...ledger, queue: withTicket(ledger.queue, asker.of, ticket) }, answer };
}

function begin(
  ledger: ModelLedger,
  limits: ModelLimits,
  { id, inputTokens }: Asker,
  { needed, windowMs, now }: Moment & { needed: number },
): ModelLedger {
  const hasRate = limits.requestsPerMinute !== undefined;
  const lease = { id, until: now + LEASE_MS, tokens: limits.tokensPerMinute === undefined ? 0 : needed };
  return {
    ...ledger,
    requests: hasRate ? addToWindow(ledger.requests, 1, windowMs + LAG_MS, now) : ledger.requests,
    leases: needsLease(limits) ? [...others(ledger.leases, id), lease] : ledger.leases,
    queue: serve(ledger.queue, id),
    vendor_requests: lessRoom(ledger.vendor_requests, 1),
    vendor_tokens: lessRoom(ledger.vendor_tokens, inputTokens),
    begun: ledger.begun + 1,
  };
}

/** Null: stay. Whoever is far behind comes back less often. */
function awayMs(before: number, { why, waitMs }: { why: WaitReason; waitMs: number }): number | null {
  if (before < FRONT && waitMs <= STAY_MS) return null;
  const until = Math.max(waitMs - EARLY_MS, (SHORTEST_AWAY_MS * before) / FRONT, SHORTEST_AWAY_MS);
  return Math.min(until, LONGEST_AWAY_MS[why]);
}

export function needsLease({ tokensPerMinute, concurrent }: ModelLimits): boolean {
  return tokensPerMinute !== undefined || concurrent !== undefined;
}

/**
 * What a request reserves: what it sends, and for its answer as much as the longest one of the last window took. Before there was
 * one: the longest answer that it allows.
 */
function neededTokens({ answers }: ModelLedger, { tokensPerMinute }: ModelLimits, { inputTokens, maxTokens }: Asker): number {
  const longest = Math.max(0, ...answers.map(([, tokens]) => tokens));
  const needed = inputTokens + (longest === 0 ? maxTokens : Math.min(longest, maxTokens));
  return tokensPerMinute === undefined ? needed : Math.min(needed, tokensPerMinute);
}

interface Place {
  needed: number;
  /** Most vendors count an answer only as it comes: what is sent has to fit into what they have left. */
  inputTokens: number;
  /** Requests before it in the queue, and those of them that are there. */
  before: number;
  there: number;
  windowMs: number;
  now: number;
}

function findRefusal(
  ledger: ModelLedger,
  limits: ModelLimits,
  { needed, inputTokens, before, there, windowMs, now }: Place,
): { why: WaitReason; waitMs: number } | null {
  if (ledger.hold_until > now) return { why: 'vendor', waitMs: ledger.hold_until - now };
  const { requestsPerMinute, tokensPerMinute, concurrent } = limits;
  const perMs = windowMs + LAG_MS;
  const running = ledger.leases;
  const waits: [WaitReason, blocked: boolean, freeAt: number][] = [];
  const vendorAt = Math.max(
    vendorRoomAt(ledger.vendor_requests, there + 1),
    vendorRoomAt(ledger.vendor_tokens, inputTokens * (there + 1)),
  );
  waits.push(['vendor', vendorAt > now, vendorAt]);
  if (requestsPerMinute !== undefined) {
    const window = { limit: requestsPerMinute, perMs };
    const blocked = windowTotal(ledger.requests) + there + 1 > requestsPerMinute;
    waits.push(['requests', blocked, timeOfPlace(ledger.requests, before, window, now)]);
  }
  if (tokensPerMinute !== undefined) {
    const reserved = running.reduce((sum, { tokens }) => sum + tokens, 0);
    const blocked = windowTotal(ledger.tokens) + reserved + needed * (there + 1) > tokensPerMinute;
    const window = { limit: Math.max(needed, tokensPerMinute - reserved), perMs };
    waits.push(['tokens', blocked, roomAt(ledger.tokens, needed, window)]);
  }
  if (concurrent !== undefined) waits.push(['concurrent', running.length + there + 1 > concurrent, 0]);
  const blocking = waits.filter(([, blocked]) => blocked);
  if (blocking.length === 0) return null;
  const longest = blocking.reduce((one, other) => (other[2] > one[2] ? other : one));
  return { why: longest[0], waitMs: Math.max(0, longest[2] - now) };
}

/** When a request with so many before it can begin at the earliest: each window lets in as many as the limit. */
function timeOfPlace(cells: WindowCells, before: number, window: { limit: number; perMs: number }, now: number): number {
  const windows = Math.floor(before / window.limit);
  const at = Math.max(now, roomAt(cells, (before % window.limit) + 1, window));
  return at + windows * window.perMs;
}

/** How many a newcomer finds before it. */
function countBefore(queue: FairQueue, { id, of }: Asker): number {
  const joined = servingOrder(withTicket(queue, of, { id, seen_until: 0, lost_at: 0 }));
  return joined.findIndex((ticket) => ticket.id === id);
}
