/** A live bus within one process, where publishers call the subscribers directly. */
import { type LiveBus, type LiveListener, Listeners } from './bus';
import type { LiveEvent } from '../shapes/turn-event';

export class InProcessLive implements LiveBus {
  private readonly listeners = new Listeners();

  publish(turnId: string, event: LiveEvent): void {
    this.listeners.deliver(turnId, event);
  }

  async sent(): Promise<void> {}

  subscribe(turnId: string, listener: LiveListener): () => void {
    this.listeners.add(turnId, listener);
    return () => void this.listeners.remove(turnId, listener);
  }

  async close(): Promise<void> {}
}
