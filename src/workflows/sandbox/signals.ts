/**
 * Takes signals from the activation, instead of by the SDK's handlers. Those start a chain of promises for each signal: some
 * thousands in one activation abort the whole process, and a payload that cannot be decoded fails the workflow task on every
 * retry. Here a signal is a name, a sender and raw payloads, and all of them together cost one loop.
 */
import type { Payload } from '@temporalio/common';
import { currentUpdateInfo, CancellationScope, patched } from '@temporalio/workflow';
import { getActivator } from './activator';
import { condition } from './condition';

export interface Arrival {
  name: string;
  /** What the sender's client claims to be. */
  identity: string;
  payloads: readonly Payload[];
}

/** Well-formed: a lone surrogate has no hash, and every attempt to record it would fail. */
export function beginningOf(text: string, characters: number): string {
  return text.slice(0, characters).toWellFormed();
}

interface Inbox {
  /** Arrived before `onSignals` was called. */
  early: Arrival[];
  listener: ((arrival: Arrival) => void) | null;
  /** The sender of each update by its id; that of an update that a validator refused is never read. */
  senders: Map<string, string>;
}

/** By the activator of a workflow: all workflows of a worker share this module (worker/workflow-bundle.ts). */
const inboxes = new WeakMap<object, Inbox>();

function inbox(): Inbox {
  const activator = getActivator();
  const present = inboxes.get(activator);
  if (present) return present;
  const newInbox: Inbox = { early: [], listener: null, senders: new Map() };
  inboxes.set(activator, newInbox);
  return newInbox;
}

export function deliverSignal({ name, identity, payloads }: Arrival): void {
  const arrival = { name: beginningOf(name, 100), identity: beginningOf(identity, 200), payloads };
  const { listener, early } = inbox();
  if (listener) listener(arrival);
  else early.push(arrival);
}

/** Passes every signal to `tell`, including earlier ones. `tell` must never throw. */
export function onSignals(tell: (arrival: Arrival) => void): void {
  const own = inbox();
  own.listener = tell;
  own.early.splice(0).forEach(tell);
}

// Senders of updates: the SDK does not tell a handler, so they are taken from the activation, like the signals.

/** Temporal allows 10 updates in progress. */
const MOST = 100;

export function recordUpdateSender(id: string, identity: string): void {
  const { senders } = inbox();
  if (senders.size >= MOST) senders.delete(senders.keys().next().value!);
  senders.set(id, beginningOf(identity, 200));
}

/** In an update's handler: what its sender's client claims to be; empty if it is not known. */
export function updateSender(): string {
  const id = currentUpdateInfo()?.id ?? '';
  const { senders } = inbox();
  const identity = senders.get(id) ?? '';
  senders.delete(id);
  return identity;
}

// Decisions and messages that arrive while a run takes over the questions of the previous run. They wait, in order of arrival,
// until these questions are asked again.

export class Arrivals {
  private waiting = 0;
  private over: Promise<unknown> | null = null;

  /** @param takingUp this run continues another one, and has not asked its questions again yet */
  constructor(private takingUp: boolean) {}

  /** The previous run's questions are open, and this run has not asked them again yet. */
  get takesUp(): boolean {
    return this.takingUp;
  }

  /** True while nothing waits. */
  get none(): boolean {
    return this.waiting === 0;
  }

  /** Call it right before the questions are asked, in the same activation: waiting arrivals are taken after that. */
  takenUp(): void {
    this.takingUp = false;
  }

  /** Takes an arrival, now or when the questions are asked again. Older histories do not wait. */
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
