/** What was sent to one session lately, so that a client whose connection broke gets what it missed. */
import type { EventStore, JSONRPCMessage } from './sdk';

const MOST_EVENTS = 1000;
const MOST_CHARACTERS = 4_000_000;

interface Kept {
  id: string;
  streamId: string;
  message: JSONRPCMessage;
  size: number;
}

export class RecentEvents implements EventStore {
  /** The oldest first. */
  private kept: Kept[] = [];
  private size = 0;
  private count = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = String(++this.count);
    const size = JSON.stringify(message).length;
    this.kept.push({ id, streamId, message, size });
    this.size += size;
    while (this.kept.length > MOST_EVENTS || (this.size > MOST_CHARACTERS && this.kept.length > 1))
      this.size -= this.kept.shift()!.size;
    return id;
  }

  knows(id: string): boolean {
    return this.kept.some((event) => event.id === id);
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.kept.findIndex(({ id }) => id === lastEventId);
    const last = this.kept[at];
    if (!last) throw new Error('This event is not known any more.');
    for (const { id, streamId, message } of this.kept.slice(at + 1))
      // What only opens a stream is no message.
      if (streamId === last.streamId && Object.keys(message).length > 0) await send(id, message);
    return last.streamId;
  }
}
