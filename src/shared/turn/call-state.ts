/** How a call may move from state to state (contract.md, "Call states"). */
import type { CallState } from './turn-view';

/**
 * For each state, the ones that may follow; none for a final one. `superseded`: another revision of the call waits in
 * its stead; from `running` only while nothing has been dispatched.
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
  running: ['succeeded', 'failed', 'cancelled', 'in_doubt', 'superseded'],
  succeeded: [],
  failed: [],
  in_doubt: ['succeeded', 'failed'],
};

export function canMove(from: CallState, to: CallState): boolean {
  return CALL_TRANSITIONS[from].includes(to);
}

/** True if nothing can follow. */
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
    const allowed = CALL_TRANSITIONS[from];
    super(
      `A call cannot move from ${from} to ${to}; allowed: ${allowed.length === 0 ? 'nothing, it is final' : allowed.join(', ')}`,
    );
  }
}
