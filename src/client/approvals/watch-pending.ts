/** What comes to wait for a person, over all turns, as it comes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PendingTurn, TurnSummary, Question } from '../../shapes/turn-list';
import type { WaitingCall } from '../../shapes/turn-view';

export interface NewQuestion {
  turn: TurnSummary;
  call: WaitingCall;
  /** Markdown, as the Web UI shows it. */
  card: string;
  /** It waited already when the watch began. */
  waited: boolean;
}

export interface WatchPending {
  /** Ends the watch; nothing is thrown. */
  signal?: AbortSignal;
  /** Between two looks, ms. Default 2000. */
  everyMs?: number;
  /** A look that failed, or a turn that waits and cannot be asked about now, once for each reason; the watch goes on. */
  onFault?: (error: unknown) => void;
}

/** As `HoldfastClient` is. */
interface Looks {
  pending(): Promise<PendingTurn[]>;
}

export async function* watchPending(client: Looks, options: WatchPending = {}): AsyncGenerator<NewQuestion> {
  const { signal, everyMs = 2000, onFault = () => undefined } = options;
  let seen: Set<string> | null = null;
  let away = new Map<string, string>();
  while (!signal?.aborted) {
    try {
      const turns = await client.pending();
      const before: Set<string> | null = seen;
      seen = new Set([...turns.flatMap(keysOf), ...stillUnknown(turns, before)]);
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

/** Of a turn that could not be asked this time: its questions are no news the next time. */
function stillUnknown(turns: PendingTurn[], before: Set<string> | null): string[] {
  const away = turns.filter(({ unreachable }) => unreachable !== null).map(({ turn_id }) => `${turn_id} `);
  return [...(before ?? [])].filter((key) => away.some((turn) => key.startsWith(turn)));
}
