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
