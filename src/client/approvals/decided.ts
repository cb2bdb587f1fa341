/** What became of calls that were just decided on: a person who was the first of two learns that one is missing. */
import type { CallState, CallView, TurnView } from '../../shared/turn/turn-view';
import type { DecidedCall } from '../../shapes/decided-call';
import type { TurnHandle } from '../turns/turn-handle';

/** It has been decided: the answer does not wait long for how the call stands now. */
const WITHIN_MS = 2000;

/**
 * In the order of the digests, which may be beginnings of them; a call that the turn does not show any more is left out. Empty where
 * no worker says it in time.
 */
export async function decidedCalls(turn: TurnHandle, digests: readonly string[]): Promise<DecidedCall[]> {
  const view = await inTime(turn.status().catch(() => null));
  if (view === null) return [];
  const calls = callsOf(view);
  return digests.flatMap((digest) => calls.find((call) => call.digest?.startsWith(digest)) ?? []).map(stateOf);
}

/** `1 of 2 approvals, the call waits` */
export function describeDecided({ state, approvals, quorum }: DecidedCall): string {
  const counted = quorum > 1 && state !== 'denied' ? `${approvals} of ${quorum} approvals, ` : '';
  return `${counted}${STATES[state]}`;
}

const STATES: Record<CallState, string> = {
  proposed: 'the call is proposed',
  rejected: 'the call was rejected',
  ready: 'the call is about to run',
  waiting: 'the call waits',
  approved: 'the call is about to run',
  denied: 'the call is denied',
  expired: 'the call has expired',
  superseded: 'another revision of the call waits',
  cancelled: 'the call is cancelled',
  running: 'the call runs',
  succeeded: 'the call has succeeded',
  failed: 'the call has failed',
  in_doubt: 'the call is in doubt',
};

function callsOf(view: TurnView): CallView[] {
  return [...view.calls, ...(view.sub_turns ?? []).flatMap(({ waiting }) => waiting.map(({ call }) => call))];
}

function stateOf({ digest, state, approval }: CallView): DecidedCall {
  const approvals = approval.decision === 'deny' ? 0 : approval.by.length;
  return { digest: digest!, state, approvals, quorum: approval.quorum };
}

async function inTime<T>(work: Promise<T | null>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, WITHIN_MS, null)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
