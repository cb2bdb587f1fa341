/** Carries what happens in a turn right now from the worker to whoever watches. */
import type { LiveEvent } from '../shapes/turn-event';

export type LiveListener = (event: LiveEvent) => void;

export interface LiveBus {
  /** Never throws and never waits: an activity must not feel it. What is too much is dropped. */
  publish(turnId: string, event: LiveEvent): void;
  /** Once what was published has been sent, as far as it can be; within a quarter of a second. Never throws. */
  sent(): Promise<void>;
  /** @returns ends it */
  subscribe(turnId: string, listener: LiveListener): () => void;
  close(): Promise<void>;
}

/** Nobody listens. */
export const NO_LIVE: LiveBus = {
  publish: () => undefined,
  sent: async () => undefined,
  subscribe: () => () => undefined,
  close: async () => undefined,
};

// Who listens to which turn, within this process.

export class Listeners {
  private readonly byTurn = new Map<string, Set<LiveListener>>();

  /** @returns whether it is the turn's first */
  add(turnId: string, listener: LiveListener): boolean {
    const known = this.byTurn.get(turnId);
    known?.add(listener);
    if (!known) this.byTurn.set(turnId, new Set([listener]));
    return !known;
  }

  /** @returns whether it was the turn's last */
  remove(turnId: string, listener: LiveListener): boolean {
    const known = this.byTurn.get(turnId);
    if (!known?.delete(listener) || known.size > 0) return false;
    return this.byTurn.delete(turnId);
  }

  deliver(turnId: string, event: LiveEvent): void {
    for (const listener of this.byTurn.get(turnId) ?? []) listener(event);
  }

  turns(): string[] {
    return [...this.byTurn.keys()];
  }
}
