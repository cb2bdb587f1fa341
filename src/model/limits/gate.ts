/**
 * The gate that each request to a model passes: it enforces the model's limits, and what its vendor asks for, over all workers that
 * share the store (docs/models.md, *Limits*). A request waits here while it is at the front of the queue; one that is far behind is
 * sent away with the time to come back, and keeps its place.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { asJson } from '../../shared/json/json';
import type { RegisterStore } from '../../store/store';
import type { RateReport } from '../provider';
import type { ModelLimits } from '../settings';
import {
  end,
  beginsLater,
  noteRates,
  hold,
  isIdle,
  leaveQueue,
  ledgerAt,
  LAG_MS,
  LEASE_MS,
  renew,
  type ModelLedger,
  type Moment,
  type TokenUse,
} from './ledger';
import { ask, needsLease, type Asker, type Wait } from './place';

export interface ModelPlace {
  ok: true;
  /** How long the request has waited here, ms. */
  waitedMs: number;
  /** What the vendor says is left. Never throws. */
  noteRates(report: RateReport): Promise<void>;
  /** The vendor asked to wait: no request begins before. Never throws. */
  hold(ms: number): Promise<void>;
  /** The request has ended; null: nobody knows what it took. Never throws. */
  leave(use: TokenUse | null): Promise<void>;
}

export interface GateLog {
  warn(fields: object, message: string): void;
}

export interface GateOptions {
  /** The window of the limits, ms. A minute; tests take less. */
  windowMs?: number;
  /** Longest stay at the front of the queue in one attempt, ms. */
  patienceMs?: number;
}

export interface Entering {
  model: string;
  limits: ModelLimits;
  asker: Asker;
  /** The request stops waiting for this reason, and comes back: its worker shuts down, say. */
  keepsPlace?: (reason: unknown) => boolean;
}

/** A time by the store's clock, and by this process's. */
interface Since {
  at: number;
  clock: number;
}

type LookAnswer = { ok: true; number: number; since: Since } | Wait;

const MINUTE_MS = 60_000;
const PATIENCE_MS = 30_000;
const RENEW_MS = LEASE_MS / 3;
/** A store or a worker under load may answer late. A request that begins so much later than it was let counts anew, ms. */
const LATE_MS = LAG_MS / 2;
const MOST_RECOUNTS = 10;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** A waiter whose patience ended while it was near its turn comes back at once. */
const AT_ONCE_MS = 100;

export class ModelGate {
  private readonly windowMs: number;
  private readonly patienceMs: number;

  constructor(
    private readonly registers: RegisterStore,
    private readonly log: GateLog,
    options: GateOptions = {},
  ) {
    this.windowMs = options.windowMs ?? MINUTE_MS;
    this.patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  /**
   * Waits for a place. `onWait` is told why, at each look.
   * @returns the place; or the wait with the time to come back, `awayMs`
   * @throws the signal's reason, and then its place is free, unless `keepsPlace` says otherwise; errors of the store
   */
  async enter(
    entering: Entering,
    signal: AbortSignal,
    onWait: (wait: Wait) => void = () => undefined,
  ): Promise<ModelPlace | Wait> {
    const began = performance.now();
    let waits = false;
    try {
      for (;;) {
        signal.throwIfAborted();
        const answer = await this.look(entering);
        if (answer.ok) {
          await this.countInTime(entering, answer.since, signal);
          return this.place(entering, answer.number, Math.round(performance.now() - began));
        }
        waits = true;
        onWait(answer);
        if (answer.awayMs !== null) return { ...answer, awayMs: Math.ceil(answer.awayMs * (0.9 + Math.random() / 5)) };
        if (performance.now() - began >= this.patienceMs) return { ...answer, awayMs: AT_ONCE_MS };
        await pause(answer.waitMs, signal);
      }
    } catch (error) {
      if (waits && !entering.keepsPlace?.(error))
        await this.change(entering, 'it waits for two minutes more', (ledger) => leaveQueue(ledger, entering.asker.id));
      throw error;
    }
  }

  /** A model without limits, of which the vendor said nothing, costs one reading of its register. */
  private async look({ model, limits, asker }: Entering): Promise<LookAnswer> {
    if (Object.keys(limits).length === 0) {
      const { value, now } = await this.registers.read(nameOf(model));
      const ledger = ledgerAt(value, this.at(now));
      if (isIdle(ledger)) return { ok: true, number: ledger.begun, since: { at: now, clock: performance.now() } };
    }
    return this.registers.update<LookAnswer>(nameOf(model), (value, now) => {
      const present = ledgerAt(value, this.at(now));
      const { ledger, answer: place } = ask(present, limits, asker, this.at(now));
      const answer: LookAnswer = place.ok ? { ...place, since: { at: now, clock: performance.now() } } : place;
      return ledger === present ? { answer } : { value: asJson(ledger), answer };
    });
  }

  /**
   * A request that begins much later than it was let would be in a window that does not count it. One that is cancelled meanwhile
   * begins at once, which ends it and frees its place.
   */
  private async countInTime(entering: Entering, since: Since, signal: AbortSignal): Promise<void> {
    if (entering.limits.requestsPerMinute === undefined) return;
    let counted = since;
    const isLate = () => !signal.aborted && performance.now() - counted.clock > LATE_MS;
    for (let count = 0; count < MOST_RECOUNTS && isLate(); count++) {
      const { at } = counted;
      await this.change(entering, 'a request counts for an earlier time than it begins', (ledger, moment) => {
        counted = { at: moment.now, clock: performance.now() };
        return beginsLater(ledger, at, moment);
      });
    }
  }

  private place(entering: Entering, number: number, waitedMs: number): ModelPlace {
    const { limits, asker } = entering;
    const hasLease = needsLease(limits);
    const timer = hasLease ? setInterval(() => void this.renew(entering), RENEW_MS).unref() : undefined;
    return {
      ok: true,
      waitedMs,
      noteRates: (report) =>
        this.change(entering, 'requests do not see how little the vendor has left', (ledger, { now }) =>
          noteRates(ledger, report, number, now),
        ),
      hold: async (ms) => {
        if (!(ms > 0)) return;
        await this.change(entering, 'other requests do not see that the vendor asked to wait', (ledger, { now }) =>
          hold(ledger, ms, now),
        );
      },
      leave: async (use) => {
        clearInterval(timer);
        if (!hasLease) return;
        await this.change(entering, `its place comes free only after ${LEASE_MS} ms`, (ledger, moment) =>
          end(ledger, asker.id, use, moment),
        );
      },
    };
  }

  private async renew(entering: Entering): Promise<void> {
    const { model, asker } = entering;
    let isLost = false;
    await this.change(entering, 'its place may be given to another request', (ledger, { now }) => {
      const renewal = renew(ledger, asker.id, now);
      isLost = !renewal.hasLease;
      return isLost ? ledger : renewal.ledger;
    });
    if (isLost)
      this.log.warn({ model }, 'this worker was blocked for so long that the place of a running model request was given up');
  }

  /** Logs an error: the limits must not cost a finished request its answer. */
  private async change(
    { model }: Entering,
    what: string,
    change: (ledger: ModelLedger, moment: Moment) => ModelLedger,
  ): Promise<void> {
    try {
      await this.registers.update(nameOf(model), (value, now) => {
        const present = ledgerAt(value, this.at(now));
        const ledger = change(present, this.at(now));
        return ledger === present ? { answer: undefined } : { value: asJson(ledger), answer: undefined };
      });
    } catch (error) {
      this.log.warn({ model, err: error }, `the limits of a model could not be written: ${what}`);
    }
  }

  private at(now: number): Moment {
    return { windowMs: this.windowMs, now };
  }
}

function nameOf(model: string): string {
  return `model/${model}`;
}

/** @throws the signal's reason, not an error of the timer */
async function pause(knownMs: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(Math.max(knownMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2);
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
