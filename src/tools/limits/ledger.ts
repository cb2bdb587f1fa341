/**
 * Computes a tool's limits (concurrency, rate, pauses of the upstream): pure functions over the ledger in the tool's register.
 *
 * Concurrency: each running call has a lease with an end. If its worker dies, the lease ends by itself.
 * Rate: the starts of the last window (shared/sliding-window.ts): no window contains more than `calls` starts.
 *
 * Times are ms since 1970 by the store's clock. That clock can be set back: a time further in the future than it could have been
 * written is then reduced, so that the change delays calls by one window, not by hours.
 */
import { isJsonObject, type Json } from '../../shared/json/json';
import { addToWindow, isWindow, presentCells, roomAt, type WindowCells } from '../../shared/sliding-window';
import type { ToolLimits } from '../define/tool';

export interface Ledger {
  leases: { id: string; until: number }[];
  starts: WindowCells;
  /** End of the pause that the upstream asked for; 0: none. */
  hold_until: number;
}

export type StartAnswer = { ok: true } | { ok: false; why: 'upstream' | 'rate' | 'concurrency'; waitMs: number };

/** A lease that is not renewed ends after this long, ms. */
export const LEASE_MS = 30_000;
/** Longest pause that an upstream can cause, ms: a longer wish counts as a refusal (tools/define/errors.ts). */
export const LONGEST_HOLD_MS = 3_600_000;
/** Wait before the next try when all places are taken, ms: the end of a running call is unknown. */
const ASK_AGAIN_MS = 250;

const EMPTY: Ledger = { leases: [], starts: [], hold_until: 0 };

/** The ledger in a register's value, without entries that have ended; a value of another shape counts as an empty ledger. */
export function ledgerAt(value: Json, { rate }: ToolLimits, now: number): Ledger {
  const { leases, starts, hold_until } = isLedger(value) ? value : EMPTY;
  return {
    leases: leases.map(({ id, until }) => ({ id, until: Math.min(until, now + LEASE_MS) })).filter(({ until }) => until > now),
    // A tool version without a rate keeps the starts for versions that have one.
    starts: rate === undefined ? starts : presentCells(starts, rate.perMs, now),
    hold_until: hold_until > now ? Math.min(hold_until, now + LONGEST_HOLD_MS) : 0,
  };
}

/** Admits a call, or returns why it may not begin and when to try again. The same id never has two leases. */
export function admit(ledger: Ledger, limits: ToolLimits, id: string, now: number): { ledger: Ledger; admittance: StartAnswer } {
  const refusal = findRefusal(ledger, limits, id, now);
  if (refusal) return { ledger, admittance: refusal };
  const { concurrency, rate } = limits;
  const others = ledger.leases.filter((lease) => lease.id !== id);
  const leases = concurrency === undefined ? ledger.leases : [...others, { id, until: now + LEASE_MS }];
  const starts = rate === undefined ? ledger.starts : addToWindow(ledger.starts, 1, rate.perMs, now);
  return { ledger: { ...ledger, leases, starts }, admittance: { ok: true } };
}

function findRefusal(ledger: Ledger, { concurrency, rate }: ToolLimits, id: string, now: number): StartAnswer | null {
  if (ledger.hold_until > now) return { ok: false, why: 'upstream', waitMs: ledger.hold_until - now };
  if (rate) {
    const free = roomAt(ledger.starts, 1, { limit: rate.calls, perMs: rate.perMs });
    if (free > now) return { ok: false, why: 'rate', waitMs: free - now };
  }
  const others = ledger.leases.filter((lease) => lease.id !== id).length;
  if (concurrency !== undefined && others >= concurrency) return { ok: false, why: 'concurrency', waitMs: ASK_AGAIN_MS };
  return null;
}

/** Renews a running call's lease. `hasLease` false: the lease had ended, and another call may have its place. */
export function renew(ledger: Ledger, id: string, now: number): { ledger: Ledger; hasLease: boolean } {
  const hasLease = ledger.leases.some((lease) => lease.id === id);
  const leases = ledger.leases.map((lease) => (lease.id === id ? { id, until: now + LEASE_MS } : lease));
  return { ledger: { ...ledger, leases }, hasLease };
}

export function release(ledger: Ledger, id: string): Ledger {
  return { ...ledger, leases: ledger.leases.filter((lease) => lease.id !== id) };
}

/** Records a pause of `ms` that the upstream asked for; never shortens an earlier one. */
export function hold(ledger: Ledger, ms: number, now: number): Ledger {
  return { ...ledger, hold_until: Math.max(ledger.hold_until, now + Math.min(ms, LONGEST_HOLD_MS)) };
}

function isLedger(value: unknown): value is Ledger {
  const { leases, starts, hold_until } = (isJsonObject(value as Json) ? value : {}) as Partial<Ledger>;
  return (
    Number.isFinite(hold_until) &&
    Array.isArray(leases) &&
    leases.every((lease) => typeof lease?.id === 'string' && Number.isFinite(lease.until)) &&
    isWindow(starts)
  );
}
