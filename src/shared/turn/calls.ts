/** The states of a call and the transitions between them, and which calls may run at the same time. */
import type { CallState } from './turn-view';

/**
 * For each state, the states that may follow; none for a final one. `superseded`: another revision of the call waits instead; from
 * `running` only while nothing has been dispatched.
 */
export const CALL_TRANSITIONS: Readonly<Record<CallState, readonly CallState[]>> = {
  proposed: ['rejected', 'ready', 'waiting'],
  rejected: [],
  ready: ['running'],
  waiting: ['approved', 'denied', 'expired', 'superseded', 'cancelled'],
  approved: ['running', 'superseded', 'cancelled'],
  denied: [],
  expired: [],
  superseded: [],
  cancelled: [],
  running: ['pending', 'succeeded', 'failed', 'cancelled', 'in_doubt', 'superseded'],
  pending: ['succeeded', 'failed', 'cancelled', 'in_doubt'],
  succeeded: [],
  failed: [],
  in_doubt: ['succeeded', 'failed'],
};

export function canMove(from: CallState, to: CallState): boolean {
  return CALL_TRANSITIONS[from].includes(to);
}

/** True if no state can follow. */
export function isFinal(state: CallState): boolean {
  return CALL_TRANSITIONS[state].length === 0;
}

/**
 * @returns `to`
 * @throws CallStateError if the table forbids it: a fault of the engine, never of a user
 */
export function move(from: CallState, to: CallState): CallState {
  if (!canMove(from, to)) throw new CallStateError(from, to);
  return to;
}

export class CallStateError extends Error {
  override readonly name = 'CallStateError';
  constructor(
    readonly from: CallState,
    readonly to: CallState,
  ) {
    const next = CALL_TRANSITIONS[from];
    super(`A call cannot move from ${from} to ${to}; allowed: ${next.length === 0 ? 'nothing, it is final' : next.join(', ')}`);
  }
}

/**
 * Groups the calls of a step into batches, in order. Neighbours that are safe beside each other share a batch; an unsafe call has
 * its own. Safety is what the tool says for these inputs; it is not the same as read-only.
 */

/** What a call touches; `*` means everything. */
export interface Resources {
  reads: string[];
  writes: string[];
}

/** `true`: runs beside any call; `false`: beside none; else beside calls that touch something else. */
export type Safety = boolean | Resources;

export function batches<T extends { parallel: Safety }>(calls: readonly T[]): T[][] {
  const out: T[][] = [];
  for (const call of calls) {
    const last = out.at(-1);
    if (last?.every((other) => compatible(call.parallel, other.parallel))) last.push(call);
    else out.push([call]);
  }
  return out;
}

function compatible(a: Safety, b: Safety): boolean {
  if (a === false || b === false) return false;
  if (a === true || b === true) return true;
  return !meet(a.writes, b.writes) && !meet(a.writes, b.reads) && !meet(a.reads, b.writes);
}

function meet(some: string[], others: string[]): boolean {
  if (some.length === 0 || others.length === 0) return false;
  return some.includes('*') || others.includes('*') || some.some((name) => others.includes(name));
}

/**
 * Runs `work` over all items, at most `cap` at once. After an error no new item begins. When the running ones have ended, the first
 * error is thrown: the caller knows that nothing runs any more.
 */
export async function forEachConcurrent<T>(items: readonly T[], cap: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const errors: unknown[] = [];
  const lane = async () => {
    while (waiting.length > 0 && errors.length === 0) {
      try {
        await work(waiting.shift()!);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(cap, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
}
