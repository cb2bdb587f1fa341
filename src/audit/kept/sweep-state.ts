/** What the sweepers of one store and task queue agree on: whose turn it is, how far they have come, and what has failed. */
import { isJsonObject, type Json } from '../../shared/json/json';
import type { RegisterStore } from '../../store/store';
import type { ClosedTurn } from './folder';

/** A bundle that could not be made. */
export interface FailedBundle extends ClosedTurn {
  tries: number;
  /** When it is tried again, ms since 1970. */
  again: number;
}

export interface SweepState {
  holder: string;
  /** ms since 1970: then the lease is anybody's. */
  leased_until: number;
  /** What closed before it has been looked at, ms since 1970. */
  swept_to: number;
  failed: FailedBundle[];
}

/** ms. A holder that works renews it long before. */
export const LEASE_MS = 60_000;
/** What a register may carry. More failures than that are of one cause: they wait for the next look at the window. */
export const MAX_FAILURES = 100;

export class SweepLease {
  constructor(
    private readonly registers: RegisterStore,
    private readonly name: string,
    /** Names this process. */
    private readonly holder: string,
  ) {}

  /** Null: another process holds it. */
  take(): Promise<SweepState | null> {
    return this.registers.update(this.name, (value, now) => {
      const state = stateIn(value);
      if (state.holder !== this.holder && state.leased_until > now) return { answer: null };
      const mine = { ...state, holder: this.holder, leased_until: now + LEASE_MS };
      return { value: mine as unknown as Json, answer: mine };
    });
  }

  /** Keeps how far we have come, if it is still ours. */
  async note(facts: Partial<Pick<SweepState, 'swept_to' | 'failed'>>): Promise<void> {
    await this.registers.update(this.name, (value, now) => {
      const state = stateIn(value);
      if (state.holder !== this.holder) return { answer: null };
      return { value: { ...state, ...facts, leased_until: now + LEASE_MS } as unknown as Json, answer: null };
    });
  }

  /** Another process need not wait. */
  async release(): Promise<void> {
    await this.registers.update(this.name, (value) => {
      const state = stateIn(value);
      if (state.holder !== this.holder) return { answer: null };
      return { value: { ...state, holder: '', leased_until: 0 } as unknown as Json, answer: null };
    });
  }
}

function stateIn(value: Json): SweepState {
  const state = isJsonObject(value) ? (value as unknown as Partial<SweepState>) : {};
  const { holder = '', leased_until = 0, swept_to = 0, failed = [] } = state;
  return { holder, leased_until, swept_to, failed };
}
