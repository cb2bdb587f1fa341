/** What comes to wait for a person, over all turns, as it comes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HoldfastClient, PendingTurn, TurnSummary } from '../client';
import type { WaitingCall } from './turn-handle';

export interface NewQuestion {
  turn: TurnSummary;
  call: WaitingCall;
  /** Markdown, as the Web UI shows it; null where it could not be read. */
  card: string | null;
  /** It waited already when the watch began. */
  waited: boolean;
}

export interface WatchPending {
  /** Ends the watch; nothing is thrown. */
  signal?: AbortSignal;
  /** Between two looks, ms. Default 2000. */
  everyMs?: number;
  /** A look that failed; the watch goes on. */
  onFault?: (error: unknown) => void;
}

type Looks = Pick<HoldfastClient, 'pending' | 'turn'>;

export async function* watchPending(client: Looks, options: WatchPending = {}): AsyncGenerator<NewQuestion> {
  const { signal, everyMs = 2000, onFault = () => undefined } = options;
  let seen: Set<string> | null = null;
  while (!signal?.aborted) {
    try {
      const turns = await client.pending();
      const before: Set<string> | null = seen;
      seen = new Set([...turns.flatMap(keysOf), ...stillUnknown(turns, before)]);
      for (const turn of turns) {
        const fresh = callsOf(turn).filter((call) => !before?.has(keyOf(turn, call)));
        if (fresh.length === 0) continue;
        const cards = await client
          .turn(turn.turn_id)
          .cards()
          .catch(() => new Map<string, string>());
        const { calls: _, unreachable: __, tools: ___, ...summary } = turn;
        for (const call of fresh) yield { turn: summary, call, card: cards.get(call.digest) ?? null, waited: before === null };
      }
    } catch (error) {
      onFault(error);
    }
    await sleep(everyMs, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

function callsOf(turn: PendingTurn): WaitingCall[] {
  return turn.calls.filter((call): call is WaitingCall => call.digest !== null);
}

function keysOf(turn: PendingTurn): string[] {
  return callsOf(turn).map((call) => keyOf(turn, call));
}

function keyOf({ turn_id }: PendingTurn, { digest, state }: WaitingCall): string {
  return `${turn_id} ${digest} ${state}`;
}

/** Of a turn that could not be asked this time: its questions are no news the next time. */
function stillUnknown(turns: PendingTurn[], before: Set<string> | null): string[] {
  const away = turns.filter(({ unreachable }) => unreachable !== null).map(({ turn_id }) => `${turn_id} `);
  return [...(before ?? [])].filter((key) => away.some((turn) => key.startsWith(turn)));
}
