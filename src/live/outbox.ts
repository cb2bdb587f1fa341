/**
 * A bounded queue of live events on their way to another process, and the bus from a worker to its parent process. Events are
 * collected for 50 ms and sent as one parcel; consecutive pieces of one text are joined. While one parcel is sent the next is
 * collected. Events over the limit are dropped; nothing waits for room.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent } from '../shapes/turn-event';
import type { LiveBus } from './bus';
import { eventsOf, packetsOf } from './live-event-packets';

/** At this interval text still appears live, and hundreds of pieces become one message. */
const GATHER_MS = 50;
/** Longest wait in `drain`, ms. */
const SENT_WITHIN_MS = 250;
/** Limit for all events in the queue together, characters. */
const MOST_WAITING = 512_000;
/** Characters that an event counts besides its text. */
const OVERHEAD = 200;

export type Parcel = ReadonlyMap<string, LiveEvent[]>;

export class Outbox {
  private waiting = new Map<string, LiveEvent[]>();
  private size = 0;
  private timer: NodeJS.Timeout | null = null;
  private underWay: Promise<void> | null = null;
  private isClosed = false;
  /** Events that no client will get. */
  droppedCount = 0;

  /** @param send may fail; the parcel is then lost */
  constructor(private readonly send: (parcel: Parcel) => Promise<void>) {}

  add(turnId: string, event: LiveEvent): void {
    const size = OVERHEAD + ('text' in event ? event.text.length : 0);
    if (this.isClosed || this.size + size > MOST_WAITING) return void (this.droppedCount += 1);
    const events = this.waiting.get(turnId) ?? [];
    const joinedEvent = join(events.at(-1), event);
    if (joinedEvent) events.splice(-1, 1, joinedEvent);
    else events.push(event);
    this.waiting.set(turnId, events);
    this.size += size;
    this.schedule();
  }

  /** Resolves once all waiting events have been sent or have failed, or the time limit has passed. */
  async drain(): Promise<void> {
    const late = new AbortController();
    await Promise.race([
      this.flush(),
      sleep(SENT_WITHIN_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
    ]);
    late.abort();
  }

  /** Accepts no more events and sends those that wait; a parcel that fails is lost. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.flush();
  }

  private schedule(): void {
    if (this.isClosed || this.underWay || this.timer || this.size === 0) return;
    this.timer = setTimeout(() => void this.flush(), GATHER_MS);
    this.timer.unref();
  }

  private async flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    while (this.underWay) await this.underWay;
    if (this.size === 0) return;
    this.underWay = this.sendWaiting();
    await this.underWay;
  }

  private async sendWaiting(): Promise<void> {
    const parcel = this.waiting;
    this.waiting = new Map();
    this.size = 0;
    await this.send(parcel).catch(() => void (this.droppedCount += [...parcel.values()].flat().length));
    this.underWay = null;
    this.schedule();
  }
}

/** Joins two consecutive pieces of one text; null: they do not follow each other. */
function join(last: LiveEvent | undefined, next: LiveEvent): LiveEvent | null {
  if (last?.type !== 'text_delta' || next.type !== 'text_delta') return null;
  const follows = last.offset + last.text.length === next.offset;
  return last.step === next.step && last.attempt === next.attempt && follows ? { ...last, text: last.text + next.text } : null;
}

// Sends live events from the worker of the embedded stack to its parent process, over Node's IPC channel.

/** Largest message, bytes; the channel itself has no limit. */
const MOST_BYTES = 64_000;

type Channel = Pick<NodeJS.Process, 'send' | 'connected'>;

interface Message {
  holdfast_live: [turnId: string, packet: string][];
}

/** A bus that only publishes: nothing in a worker subscribes. */
export function liveToParent(channel: Channel = process): LiveBus {
  let serial = 0;
  const send = (parcel: Parcel) =>
    new Promise<void>((resolve, reject) => {
      if (!channel.send || !channel.connected) return reject(new Error('the parent process is not connected'));
      const packets = [...parcel].flatMap(([turnId, events]) =>
        packetsOf(events, MOST_BYTES, () => String(serial++)).map((packet): [string, string] => [turnId, packet]),
      );
      channel.send({ holdfast_live: packets } satisfies Message, undefined, undefined, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  const outbox = new Outbox(send);
  return {
    publish: (turnId, event) => outbox.add(turnId, event),
    sent: () => outbox.drain(),
    subscribe: () => () => undefined,
    close: () => outbox.close(),
  };
}

/** Publishes the events that a child process sent; ignores any other message. */
export function relayLive(message: unknown, bus: Pick<LiveBus, 'publish'>): void {
  const { holdfast_live: packets } = (message ?? {}) as Partial<Message>;
  if (!Array.isArray(packets)) return;
  for (const [turnId, packet] of packets) for (const event of eventsOf(packet)) bus.publish(turnId, event);
}
