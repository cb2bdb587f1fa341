/**
 * Keeps the latest events of one turn in memory, in the order of arrival: recorded events with their position, live events
 * without. A recorded event replaces the live events that led to it. Beyond the limits the oldest events are dropped: they can be
 * read from history again.
 */
import type { LiveEvent, TurnEvent } from '../../shapes/turn-event';
import type { EventRecord } from './turn-log';

export interface MemoryEntry {
  /** Null: a live event, which is stored nowhere else. */
  record: EventRecord | null;
  event: TurnEvent;
}

export interface MemoryBounds {
  /** Characters of JSON of all events in memory. */
  characters: number;
  events: number;
}

const BOUNDS: MemoryBounds = { characters: 1_000_000, events: 5000 };

export class FeedMemory {
  /** Null: a live event that is out of date. */
  private entries: (MemoryEntry | null)[] = [];
  private sizes: number[] = [];
  private characters = 0;
  /** Index of the first event in memory, counted from the feed's beginning. */
  first = 0;
  /** Number of the next recorded event to come. */
  private nextSeq = 1;
  private hasEnded = false;
  private lastStep = 0;
  private readonly finishedCalls = new Set<string>();
  private readonly progress = new Map<string, LiveEvent>();
  private attempt = { step: 0, attempt: 0 };

  constructor(private readonly bounds: MemoryBounds = BOUNDS) {}

  get end(): number {
    return this.first + this.entries.length;
  }

  at(index: number): MemoryEntry | null {
    return this.entries[index - this.first] ?? null;
  }

  /** Number of the first recorded event that memory holds, or will hold. */
  firstSeq(): number {
    for (const one of this.entries) if (one?.record) return one.record.seq;
    return this.nextSeq;
  }

  record(record: EventRecord): void {
    const { event } = record;
    this.nextSeq = record.seq + 1;
    if (event.type === 'step_completed') this.lastStep = event.step;
    if (event.type === 'tool_started') this.finishedCalls.delete(event.call);
    if (event.type === 'tool_result' || event.type === 'tool_error') this.finishedCalls.add(event.call);
    if (event.type === 'turn_completed') this.hasEnded = true;
    if (event.type === 'turn_reset') {
      this.lastStep = 0;
      this.finishedCalls.clear();
    }
    this.add({ record, event });
    this.forget();
  }

  /** @returns false: the event is out of date */
  live(event: LiveEvent): boolean {
    if (event.type === 'text_delta' && isLater(event, this.attempt)) {
      this.attempt = { step: event.step, attempt: event.attempt };
      this.forget();
    }
    if (this.isOver(event)) return false;
    if (event.type === 'tool_progress') this.progress.set(event.call, event);
    this.add({ record: null, event });
    return true;
  }

  private isOver(event: TurnEvent): boolean {
    if (this.hasEnded) return true;
    if (event.type === 'text_delta')
      return event.step <= this.lastStep || isLater(this.attempt, { step: event.step, attempt: event.attempt });
    if (event.type === 'model_waiting') return event.step <= this.lastStep || event.step === this.attempt.step;
    return 'call' in event && this.finishedCalls.has(event.call);
  }

  /** Removes live events that are out of date. A watcher that has got them also gets the recorded event that replaces them. */
  private forget(): void {
    this.entries.forEach((one, index) => {
      if (one === null || one.record || !this.isOver(one.event) || this.isLastProgress(one)) return;
      this.characters -= this.sizes[index]!;
      this.entries[index] = null;
      this.sizes[index] = 0;
    });
  }

  /** A tool's last progress stays: a late watcher still learns how far the call came. */
  private isLastProgress({ event }: MemoryEntry): boolean {
    return event.type === 'tool_progress' && this.progress.get(event.call) === event;
  }

  private add(one: MemoryEntry): void {
    const size = JSON.stringify(one.event).length;
    this.entries.push(one);
    this.sizes.push(size);
    this.characters += size;
    let drop = 0;
    while (this.characters > this.bounds.characters || this.entries.length - drop > this.bounds.events) {
      this.characters -= this.sizes[drop]!;
      drop += 1;
    }
    this.entries.splice(0, drop);
    this.sizes.splice(0, drop);
    this.first += drop;
  }
}

function isLater(a: { step: number; attempt: number }, b: { step: number; attempt: number }): boolean {
  return a.step === b.step ? a.attempt > b.attempt : a.step > b.step;
}
