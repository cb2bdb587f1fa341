/**
 * Defines the bus that carries a turn's live events, such as text and progress, from the worker to the clients that watch the
 * turn.
 */
import type { LiveEvent } from '../shapes/turn-event';

export type LiveListener = (event: LiveEvent) => void;

export interface LiveBus {
  /** Never throws and never waits, so that it cannot delay an activity. Events over the limit are dropped. */
  publish(turnId: string, event: LiveEvent): void;
  /** Resolves once the published events have been sent or have failed, at the latest after 250 ms. Never throws. */
  sent(): Promise<void>;
  /** @returns the unsubscribe function */
  subscribe(turnId: string, listener: LiveListener): () => void;
  close(): Promise<void>;
}

/** A bus without subscribers. */
export const NO_LIVE: LiveBus = {
  publish: () => undefined,
  sent: async () => undefined,
  subscribe: () => () => undefined,
  close: async () => undefined,
};

// The listeners of each turn, within this process.

export class Listeners {
  private readonly byTurn = new Map<string, Set<LiveListener>>();

  /** @returns whether it is the turn's first listener */
  add(turnId: string, listener: LiveListener): boolean {
    const listeners = this.byTurn.get(turnId);
    listeners?.add(listener);
    if (!listeners) this.byTurn.set(turnId, new Set([listener]));
    return !listeners;
  }

  /** @returns whether it was the turn's last listener */
  remove(turnId: string, listener: LiveListener): boolean {
    const listeners = this.byTurn.get(turnId);
    if (!listeners?.delete(listener) || listeners.size > 0) return false;
    return this.byTurn.delete(turnId);
  }

  deliver(turnId: string, event: LiveEvent): void {
    for (const listener of this.byTurn.get(turnId) ?? []) listener(event);
  }

  turns(): string[] {
    return [...this.byTurn.keys()];
  }
}
