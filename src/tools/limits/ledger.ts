/**
 * The arithmetic of a tool's limits, pure: what one register holds of a tool, and how each event changes it.
 *
 * Concurrency: leases, each with its end; a holder that died is forgotten at that end.
 * Rate: the starts of the last window, counted in cells of a hundredth of it, so that the ledger stays small
 * whatever the rate. A start counts until a window after its cell's end: at most `calls` starts lie in any window,
 * and no more than a hundredth of the rate is given away.
 *
 * Times are ms since 1970 by the store's clock. That clock can be set: whatever lies further in the future than it
 * could have been written is pulled back, so that a clock that goes back delays calls by one window, not by hours.
 */
import { isJsonObject, type Json } from '../../shared/json/json';
import type { ToolLimits } from '../define/tool';

export interface Ledger {
  leases: { id: string; until: number }[];
  /** End of the cell, starts in it; oldest first. */
  starts: [end: number, count: number][];
  /** The upstream asked to be left alone until then; 0: it did not. */
  hold_until: number;
}

export type Admittance = { ok: true } | { ok: false; why: 'upstream' | 'rate' | 'concurrency'; waitMs: number };

/** A lease that is not renewed ends after this long, ms. */
export const LEASE_MS = 30_000;
/** No upstream can stop a tool for longer: who asks for more has refused (tools/define/errors.ts). */
export const LONGEST_HOLD_MS = 3_600_000;
const CELLS = 100;
/** Nobody can say when a running call ends; ask again after this long, ms. */
const ASK_AGAIN_MS = 250;

const EMPTY: Ledger = { leases: [], starts: [], hold_until: 0 };

/** What is left of a register's value at this moment; a value of another shape counts as none. */
export function ledgerAt(value: Json, { rate }: ToolLimits, now: number): Ledger {
  const { leases, starts, hold_until } = isLedger(value) ? value : EMPTY;
  // A version without a rate keeps the starts for those that have one.
  const counts = ([end]: [number, number]) => rate === undefined || end + rate.perMs > now;
  return {
    leases: leases.map(({ id, until }) => ({ id, until: Math.min(until, now + LEASE_MS) })).filter(({ until }) => until > now),
    starts: starts
      .map(([end, count]): [number, number] => [rate ? Math.min(end, now + cellMs(rate.perMs)) : end, count])
      .filter(counts),
    hold_until: hold_until > now ? Math.min(hold_until, now + LONGEST_HOLD_MS) : 0,
  };
}

/** Lets a call begin, or says why it may not, and when to ask again. The same id is not let in twice. */
export function admit(ledger: Ledger, limits: ToolLimits, id: string, now: number): { ledger: Ledger; admittance: Admittance } {
  const refusal = findRefusal(ledger, limits, id, now);
  if (refusal) return { ledger, admittance: refusal };
  const { concurrency, rate } = limits;
  const others = ledger.leases.filter((lease) => lease.id !== id);
  const leases = concurrency === undefined ? ledger.leases : [...others, { id, until: now + LEASE_MS }];
  const starts = rate === undefined ? ledger.starts : withStart(ledger.starts, cellEnd(rate.perMs, now));
  return { ledger: { ...ledger, leases, starts }, admittance: { ok: true } };
}

function findRefusal(ledger: Ledger, { concurrency, rate }: ToolLimits, id: string, now: number): Admittance | null {
  if (ledger.hold_until > now) return { ok: false, why: 'upstream', waitMs: ledger.hold_until - now };
  if (rate) {
    const free = freeAt(ledger.starts, rate);
    if (free > now) return { ok: false, why: 'rate', waitMs: free - now };
  }
  const others = ledger.leases.filter((lease) => lease.id !== id).length;
  if (concurrency !== undefined && others >= concurrency) return { ok: false, why: 'concurrency', waitMs: ASK_AGAIN_MS };
  return null;
}

/** When the next start is allowed; 0: at once. */
function freeAt(starts: Ledger['starts'], { calls, perMs }: NonNullable<ToolLimits['rate']>): number {
  let left = starts.reduce((sum, [, count]) => sum + count, 0);
  let free = 0;
  for (const [end, count] of starts) {
    if (left < calls) break;
    left -= count;
    free = end + perMs;
  }
  return free;
}

/** The holder is alive. False: the lease had ended, so that another call may run in its place. */
export function renew(ledger: Ledger, id: string, now: number): { ledger: Ledger; held: boolean } {
  const held = ledger.leases.some((lease) => lease.id === id);
  const leases = ledger.leases.map((lease) => (lease.id === id ? { id, until: now + LEASE_MS } : lease));
  return { ledger: { ...ledger, leases }, held };
}

export function release(ledger: Ledger, id: string): Ledger {
  return { ...ledger, leases: ledger.leases.filter((lease) => lease.id !== id) };
}

/** The upstream wants to be left alone for so long; never shortens a hold. */
export function hold(ledger: Ledger, ms: number, now: number): Ledger {
  return { ...ledger, hold_until: Math.max(ledger.hold_until, now + Math.min(ms, LONGEST_HOLD_MS)) };
}

function withStart(starts: Ledger['starts'], end: number): Ledger['starts'] {
  const found = starts.find(([other]) => other === end);
  if (!found) return [...starts, [end, 1] as [number, number]].sort((a, b) => a[0] - b[0]);
  return starts.map(([other, count]) => [other, other === end ? count + 1 : count]);
}

function cellMs(perMs: number): number {
  return Math.max(1, Math.ceil(perMs / CELLS));
}

function cellEnd(perMs: number, now: number): number {
  const cell = cellMs(perMs);
  return (Math.floor(now / cell) + 1) * cell;
}

function isLedger(value: unknown): value is Ledger {
  const { leases, starts, hold_until } = (isJsonObject(value as Json) ? value : {}) as Partial<Ledger>;
  return (
    Number.isFinite(hold_until) &&
    Array.isArray(leases) &&
    leases.every((lease) => typeof lease?.id === 'string' && Number.isFinite(lease.until)) &&
    Array.isArray(starts) &&
    starts.every((start) => Array.isArray(start) && Number.isFinite(start[0]) && Number.isFinite(start[1]))
  );
}
