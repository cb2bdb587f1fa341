/**
 * Takes signals from the activation, instead of by the SDK's handlers. Those start a chain of promises for each signal: some
 * thousands in one activation abort the whole process, and a payload that cannot be decoded fails the workflow task on every
 * retry. Here a signal is a name, a sender and raw payloads, and all of them together cost one loop.
 */
import type { Payload } from '@temporalio/common';
import { currentUpdateInfo, CancellationScope, patched } from '@temporalio/workflow';
import { isJsonObject, type Json } from '../../shared/json/json';
import { isHash } from '../../shared/json/sha256';
import type { CallState } from '../../shared/turn/turn-view';
import type { TurnData } from '../turn/state';
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

// Completions of calls that end later.

/** Completions that wait for calls which are not pending yet: Temporal has ten updates of a workflow at once, and decisions need some. */
const MOST_EARLY = 4;

/**
 * Completions that were sent to the turn. One that comes before its call is pending waits in the turn's state, also for the next run; it is
 * checked when the call is pending. Each call has one at most: the next is refused until it is known whether the first counts.
 */
export class Completions {
  private readonly answers = new Map<string, string | null>();
  private early = 0;

  constructor(
    private readonly data: TurnData,
    private readonly inFlight: InFlight,
  ) {}

  /** Reference of the completion that waits for a call; null: none does. */
  offered(callId: string): string | null {
    return this.data.open?.offered?.[callId] ?? null;
  }

  /** @returns why it is not taken, once that is known; null: the call has ended with it */
  async take(body: Json): Promise<string | null> {
    const offer = readOffer(body);
    if (offer === null) return BAD_OFFER;
    const { call, completion_ref } = offer;
    const refusal = this.refusal(call);
    if (refusal !== null) return refusal;
    const { open } = this.data;
    open!.offered = { ...open!.offered, [call]: completion_ref };
    this.answers.delete(call); // one for a sender who asked an earlier run
    const answered = () => CancellationScope.nonCancellable(() => condition(() => this.answers.has(call) || this.hasEnded(call)));
    // A call that is not pending yet may wait for people: the run must be able to end meanwhile.
    await (this.stateOf(call) === 'pending' ? this.inFlight.during(answered) : this.countEarly(answered));
    const answer = this.answers.get(call) ?? (this.answers.has(call) ? null : CALL_OVER);
    this.answers.delete(call);
    return answer;
  }

  /** @param reason why the completion of the call does not count; null: it does */
  answer(callId: string, reason: string | null): void {
    delete this.data.open?.offered?.[callId];
    this.answers.set(callId, reason);
  }

  private refusal(call: string): string | null {
    if (this.hasEnded(call)) return CALL_OVER;
    if (this.stateOf(call) === 'in_doubt') return 'the call is in doubt: a person settles it';
    if (this.offered(call) !== null) return 'another completion of the call is being checked; send it again later';
    const isFull = this.early >= MOST_EARLY && this.stateOf(call) !== 'pending' && patched('held-completions');
    return isFull ? 'the call is not pending yet, and other completions wait as it does; send it again later' : null;
  }

  private async countEarly(wait: () => Promise<void>): Promise<void> {
    this.early += 1;
    try {
      await wait();
    } finally {
      this.early -= 1;
    }
  }

  private stateOf(call: string): CallState {
    return this.data.calls.findLast(({ id }) => id === call)!.state;
  }

  private hasEnded(call: string): boolean {
    const { open } = this.data;
    return open === undefined || open.outcomes[call] !== undefined || open.calls.every(({ id }) => id !== call);
  }
}

const CALL_OVER = 'the call has ended';
export const BAD_OFFER = 'it must be {"call": "…", "completion_ref": "<hash>"}';

/** Null: it is none. */
export function readOffer(body: Json): { call: string; completion_ref: string } | null {
  if (!isJsonObject(body) || Object.keys(body).length !== 2) return null;
  const { call, completion_ref } = body;
  return typeof call === 'string' && isHash(completion_ref) ? { call, completion_ref } : null;
}

/** Counts work in progress: a turn continues in another run only while all of it waits for people. */
export class InFlight {
  private underWay = 0;

  get none(): boolean {
    return this.underWay === 0;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
    }
  }

  /** Inside `during`: a wait that another run can continue, so it is not counted. */
  async apart<T>(wait: () => Promise<T>): Promise<T> {
    this.underWay -= 1;
    try {
      return await wait();
    } finally {
      this.underWay += 1;
    }
  }
}
