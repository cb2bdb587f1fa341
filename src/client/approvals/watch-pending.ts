/** Reports each call that starts to wait for a person, over all turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Card } from '../../shapes/card';
import type { PendingTurn, TurnSummary, Question, WaitingCall, DecidedCall } from '../../shapes/turn-view';
import type { CallState, CallView, TurnView } from '../../shared/turn/turn-view';
import type { TurnHandle } from '../turns/turn-handle';

export interface NewQuestion {
  turn: TurnSummary;
  call: WaitingCall;
  card: Card;
  /** It was already waiting when the watch began. */
  waited: boolean;
}

export interface WatchPending {
  /** Ends the watch without an error. */
  signal?: AbortSignal;
  /** Interval of the polls, ms. Default 2000. */
  everyMs?: number;
  /** Called when a poll fails, and once per reason for a waiting turn that cannot be queried now. The watch goes on. */
  onFault?: (error: unknown) => void;
}

/** The part of `HoldfastClient` that is used. */
interface Looks {
  pending(): Promise<PendingTurn[]>;
}

export async function* watchPending(client: Looks, options: WatchPending = {}): AsyncGenerator<NewQuestion> {
  const { signal, everyMs = 2000, onFault = () => undefined } = options;
  let seenKeys: Set<string> | null = null;
  let away = new Map<string, string>();
  while (!signal?.aborted) {
    try {
      const turns = await client.pending();
      const before: Set<string> | null = seenKeys;
      seenKeys = new Set([...turns.flatMap(keysOf), ...stillUnknown(turns, before)]);
      for (const { turn_id, unreachable } of turns)
        if (unreachable !== null && away.get(turn_id) !== unreachable)
          onFault(new Error(`Turn ${turn_id} waits for a person, and nobody can be asked now: ${unreachable}`));
      away = new Map(turns.map(({ turn_id, unreachable }) => [turn_id, unreachable ?? '']));
      for (const turn of turns) {
        const { calls, unreachable: _, tools: __, ...summary } = turn;
        for (const question of calls.filter((call) => !before?.has(keyOf(turn, call)))) {
          const { card, ...call } = question;
          yield { turn: summary, call, card, waited: before === null };
        }
      }
    } catch (error) {
      onFault(error);
    }
    await sleep(everyMs, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

function keysOf(turn: PendingTurn): string[] {
  return turn.calls.map((call) => keyOf(turn, call));
}

function keyOf({ turn_id }: PendingTurn, { digest, state }: Question): string {
  return `${turn_id} ${digest} ${state}`;
}

/** Questions of turns that could not be queried this time: they are not new the next time. */
function stillUnknown(turns: PendingTurn[], before: Set<string> | null): string[] {
  const away = turns.filter(({ unreachable }) => unreachable !== null).map(({ turn_id }) => `${turn_id} `);
  return [...(before ?? [])].filter((key) => away.some((turn) => key.startsWith(turn)));
}

// The state of calls that were just decided: the first of two approvers learns that an approval is missing.

/** The decision is made, so the caller waits only briefly for the calls' new state. */
const WITHIN_MS = 2000;

/**
 * In the order of the digests, which may be prefixes. A call that the turn no longer shows is left out. Empty if no worker
 * answers in time.
 */
export async function decidedCalls(turn: TurnHandle, digests: readonly string[]): Promise<DecidedCall[]> {
  const view = await inTime(turn.status().catch(() => null));
  if (view === null) return [];
  const calls = callsOf(view);
  return digests.flatMap((digest) => calls.find((call) => call.digest?.startsWith(digest)) ?? []).map(stateOf);
}

/** `1 of 2 approvals, the call waits` */
export function describeDecision({ state, approvals, quorum }: DecidedCall): string {
  const count = quorum > 1 && state !== 'denied' ? `${approvals} of ${quorum} approvals, ` : '';
  return `${count}${STATES[state]}`;
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
  pending: 'the call is pending: somebody else completes it',
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
