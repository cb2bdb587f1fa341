/**
 * Remembers which models do not answer at present, so that a dead vendor does not cost a wait at each step. Kept in the process: each
 * worker finds out by itself, and a restart forgets.
 */
import type { ModelFailure } from './provider';

/** Failures in a row after which a model counts as down. */
const FAILURES = 2;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 300_000;

/** Failures that say something about the vendor, not about the request. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  'model.overloaded',
  'model.server_error',
  'model.network',
  'model.timeout',
  'model.rate_limited',
  'model.auth',
  'model.billing',
  'model.permission',
]);

interface Circuit {
  failures: number;
  /** ms since the epoch. */
  closedAgainAt: number;
}

export class Circuits {
  private readonly circuits = new Map<string, Circuit>();

  constructor(private readonly now: () => number = Date.now) {}

  /** True: ask this model. After its pause a model is asked once more; only a success ends the doubling of pauses. */
  mayAsk(model: string): boolean {
    return (this.circuits.get(model)?.closedAgainAt ?? 0) <= this.now();
  }

  recordSuccess(model: string): void {
    this.circuits.delete(model);
  }

  recordFailure(model: string, { facts }: ModelFailure): void {
    if (!UNAVAILABLE.has(facts.type)) return;
    const now = this.now();
    const { failures, closedAgainAt } = this.circuits.get(model) ?? { failures: 0, closedAgainAt: 0 };
    // Steps that asked before it was down fail too, however many they are: that is one outage, and doubles nothing.
    const isDown = closedAgainAt > now;
    // A request that took its whole time has cost enough.
    const counted = isDown ? failures : failures + (facts.type === 'model.timeout' ? FAILURES : 1);
    const own = isDown ? 0 : FIRST_PAUSE_MS * 2 ** (counted - FAILURES);
    const pause = counted < FAILURES ? 0 : Math.min(Math.max(own, facts.retryAfterMs ?? 0), LONGEST_PAUSE_MS);
    this.circuits.set(model, { failures: counted, closedAgainAt: Math.max(now + pause, closedAgainAt) });
  }
}
