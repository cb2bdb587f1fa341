/**
 * Signals, taken where they arrive and not by the SDK's handlers. Those start a chain of promises for each signal: some
 * thousands in one activation abort the whole process, and a payload that cannot be decoded fails the workflow task again
 * and again. Here a signal is a name, a sender and raw payloads, and all of them together cost one loop.
 */
import type { Payload } from '@temporalio/common';
import { currentUpdateInfo, CancellationScope, condition, patched } from '@temporalio/workflow';

export interface Arrival {
  name: string;
  /** What the sender's client claims to be. */
  identity: string;
  payloads: readonly Payload[];
}

/** Half a character has no hash: what writes it down would fail for ever. */
export function beginningOf(text: string, characters: number): string {
  return text.slice(0, characters).toWellFormed();
}

/** Arrived before anybody listened. */
const early: Arrival[] = [];
let listener: ((arrival: Arrival) => void) | null = null;

export function deliverSignal({ name, identity, payloads }: Arrival): void {
  const arrival = { name: beginningOf(name, 100), identity: beginningOf(identity, 200), payloads };
  if (listener) listener(arrival);
  else early.push(arrival);
}

/** Tells of every signal, those included that came before. `tell` must never throw. */
export function onSignals(tell: (arrival: Arrival) => void): void {
  listener = tell;
  early.splice(0).forEach(tell);
}

// Who has sent an update: its handler is not told, so this is taken where it arrives, like the signals.

/** By update id; those that a validator refuses are never asked for. */
const senders = new Map<string, string>();
/** Temporal lets no more than 10 be under way. */
const MOST = 100;

export function recordUpdateSender(id: string, identity: string): void {
  if (senders.size >= MOST) senders.delete(senders.keys().next().value!);
  senders.set(id, beginningOf(identity, 200));
}

/** Within an update's handler: what its sender's client claims to be; empty when it is not known. */
export function updateSender(): string {
  const id = currentUpdateInfo()?.id ?? '';
  const identity = senders.get(id) ?? '';
  senders.delete(id);
  return identity;
}

// What people send while a run takes up the questions of the run before: it waits, in the order in which it came, until they are
// asked again.

export class Arrivals {
  private waiting = 0;
  private over: Promise<unknown> | null = null;

  /** @param takingUp this run goes on from another, and has not asked its questions again yet */
  constructor(private takingUp: boolean) {}

  /** The questions of the run before are open, and this run has not asked them again yet. */
  get takesUp(): boolean {
    return this.takingUp;
  }

  /** True while nothing waits. */
  get none(): boolean {
    return this.waiting === 0;
  }

  /** The questions are asked in the same activation, and what waits is taken after it. */
  takenUp(): void {
    this.takingUp = false;
  }

  /** Takes what has come, at once or when the questions are asked again. Histories from before it waited go on as they were. */
  inTurn<T>(take: () => T | Promise<T>): T | Promise<T> {
    return this.takingUp && patched('arrivals-wait') ? this.later(take) : take();
  }

  private async later<T>(take: () => T | Promise<T>): Promise<T> {
    this.waiting += 1;
    this.over ??= CancellationScope.nonCancellable(() => condition(() => !this.takingUp));
    try {
      await this.over;
      return await take();
    } finally {
      this.waiting -= 1;
    }
  }
}
