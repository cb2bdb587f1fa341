/**
 * What waits to be sent to another process: gathered for a moment, pieces of one text put together, and bounded. While one
 * parcel is under way the next is gathered; what is more than the bound is dropped, never waited for.
 */
import type { LiveEvent } from './bus';

/** Text still looks alive at this pace, and hundreds of pieces become one message. */
const GATHER_MS = 50;
/** Characters that wait, in all. */
const MOST_WAITING = 512_000;
/** What an event takes besides its text. */
const OVERHEAD = 200;

export type Parcel = ReadonlyMap<string, LiveEvent[]>;

export class Outbox {
  private waiting = new Map<string, LiveEvent[]>();
  private size = 0;
  private timer: NodeJS.Timeout | null = null;
  private sending = false;
  private closed = false;
  /** Events that nobody will see. */
  dropped = 0;

  /** @param send may fail: the parcel is lost then */
  constructor(private readonly send: (parcel: Parcel) => Promise<void>) {}

  add(turnId: string, event: LiveEvent): void {
    const size = OVERHEAD + ('text' in event ? event.text.length : 0);
    if (this.closed || this.size + size > MOST_WAITING) return void (this.dropped += 1);
    const events = this.waiting.get(turnId) ?? [];
    const joined = join(events.at(-1), event);
    if (joined) events.splice(-1, 1, joined);
    else events.push(event);
    this.waiting.set(turnId, events);
    this.size += size;
    this.schedule();
  }

  /** Takes nothing more; what waits is sent, as far as it can be. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.flush();
  }

  private schedule(): void {
    if (this.sending || this.timer || this.size === 0) return;
    this.timer = setTimeout(() => void this.flush(), GATHER_MS);
    this.timer.unref();
  }

  private async flush(): Promise<void> {
    this.timer = null;
    if (this.sending || this.size === 0) return;
    const parcel = this.waiting;
    this.waiting = new Map();
    this.size = 0;
    this.sending = true;
    await this.send(parcel).catch(() => void (this.dropped += [...parcel.values()].flat().length));
    this.sending = false;
    if (!this.closed) this.schedule();
  }
}

/** Two pieces of one text as one; null: they are not. */
function join(last: LiveEvent | undefined, next: LiveEvent): LiveEvent | null {
  if (last?.type !== 'text_delta' || next.type !== 'text_delta') return null;
  const follows = last.offset + last.text.length === next.offset;
  return last.step === next.step && last.attempt === next.attempt && follows ? { ...last, text: last.text + next.text } : null;
}
