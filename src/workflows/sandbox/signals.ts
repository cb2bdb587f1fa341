/**
 * Signals, taken where they arrive and not by the SDK's handlers. Those start a chain of promises for each signal: some
 * thousands in one activation abort the whole process, and a payload that cannot be decoded fails the workflow task again
 * and again. Here a signal is a name, a sender and raw payloads, and all of them together cost one loop.
 */
import type { Payload } from '@temporalio/common';

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

export function signalArrived({ name, identity, payloads }: Arrival): void {
  const arrival = { name: beginningOf(name, 100), identity: beginningOf(identity, 200), payloads };
  if (listener) listener(arrival);
  else early.push(arrival);
}

/** Tells of every signal, those included that came before. `tell` must never throw. */
export function onSignals(tell: (arrival: Arrival) => void): void {
  listener = tell;
  early.splice(0).forEach(tell);
}
