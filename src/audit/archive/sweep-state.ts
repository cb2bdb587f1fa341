/** The state that the sweepers of one store and task queue share: who holds the lease, how far they are, and what failed. */
import { asJson, isJsonObject, type Json } from '../../shared/json/json';
import type { RegisterStore } from '../../store/store';
import type { ClosedTurn } from './bundle-archive';

/** A bundle that could not be made. */
export interface FailedBundle extends ClosedTurn {
  tries: number;
  /** When it is tried again, ms since 1970. */
  again: number;
}

export interface SweepState {
  holder: string;
  /** ms since 1970: from then on, any process may take the lease. */
  leased_until: number;
  /** Turns that closed before this time have been swept, ms since 1970. */
  swept_to: number;
  failed: FailedBundle[];
}

/** ms. A working holder renews the lease long before. */
export const LEASE_MS = 60_000;
/** What a register can carry. */
export const MAX_FAILURES = 100;

export class SweepLease {
  constructor(
    private readonly registers: RegisterStore,
    private readonly name: string,
    /** Names this process. */
    private readonly holder: string,
  ) {}

  /** Null: another process holds the lease. */
  take(): Promise<SweepState | null> {
    return this.registers.update(this.name, (value, now) => {
      const state = stateIn(value);
      if (state.holder !== this.holder && state.leased_until > now) return { answer: null };
      const mine = { ...state, holder: this.holder, leased_until: now + LEASE_MS };
      return { value: asJson(mine), answer: mine };
    });
  }

  /** Stores the progress and renews the lease, if this process still holds it. */
  async note(facts: Partial<Pick<SweepState, 'swept_to' | 'failed'>>): Promise<void> {
    await this.registers.update(this.name, (value, now) => {
      const state = stateIn(value);
      if (state.holder !== this.holder) return { answer: null };
      return { value: asJson({ ...state, ...facts, leased_until: now + LEASE_MS }), answer: null };
    });
  }

  /** Ends the lease: another process need not wait. */
  async release(): Promise<void> {
    await this.registers.update(this.name, (value) => {
      const state = stateIn(value);
      if (state.holder !== this.holder) return { answer: null };
      return { value: asJson({ ...state, holder: '', leased_until: 0 }), answer: null };
    });
  }
}

function stateIn(value: Json): SweepState {
  const state = isJsonObject(value) ? (value as unknown as Partial<SweepState>) : {};
  const { holder = '', leased_until = 0, swept_to = 0, failed = [] } = state;
  return { holder, leased_until, swept_to, failed };
}
