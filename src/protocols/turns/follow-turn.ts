/**
 * Follows a turn until it rests: it has ended, or it waits for people and none of its calls runs or is checked. Protocols end a run
 * there, and begin another one with the answer of a person. Nothing is kept here: after a restart the same turn is followed again,
 * from the same events.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WatchedEvent } from '../../client/events/feed';
import type { Position } from '../../client/events/position';
import type { TurnHandle, WaitingNow } from '../../client/turns/turn-handle';
import type { Question } from '../../shapes/turn-view';
import type { TurnView } from '../../shared/turn/turn-view';

/** How a turn stands while nothing happens in it. */
export interface Rest {
  view: TurnView;
  /** What it waits for, with the cards. Empty: it has ended, or no card can be read. */
  questions: Question[];
  /** Calls that wait although nobody can be asked about them. */
  unread: WaitingNow['unread'];
  hasEnded: boolean;
}

export type TurnProgress = { event: WatchedEvent } | { rest: Rest };

export interface FollowOptions {
  /** Events up to this position are left out. Null: none. */
  after: Position | null;
  /** Ends the watch without an error. */
  signal: AbortSignal;
  /** Goes on after a rest, until the turn ends. Default false. */
  untilEnd?: boolean;
}

/** A sub-agent's question is no event of the turn above: its view is looked at in a silence, at first after this time, ms. */
const LOOK_FIRST = 500;
const LOOK_LAST = 10_000;

/** The events, and then the rest. With `untilEnd` each rest. @throws TurnNotFound, NoWorker */
export async function* followTurn(
  turn: TurnHandle,
  { after, signal, untilEnd = false }: FollowOptions,
): AsyncGenerator<TurnProgress> {
  // Ends the stream at a rest too: it would wait for its next event before it ends by itself.
  const stop = new AbortController();
  const events = turn.stream({ after, signal: AbortSignal.any([signal, stop.signal]) });
  const watch = new RestWatch(after !== null);
  let next = events.next();
  let look: 'event' | 'silence' | null = null;
  let wait = LOOK_FIRST;
  try {
    while (!signal.aborted) {
      if (look !== null) {
        const rest = await restOf(turn);
        // Events that were not told yet come first. In a silence there are none.
        if (rest !== null && (look === 'silence' || watch.hasHeard(rest)) && watch.isNew(rest)) {
          yield { rest };
          if (!untilEnd) return;
        }
        look = null;
      }
      const result = await (watch.mayRest ? inTime(next, wait) : next);
      if (result === 'silence') {
        look = 'silence';
        wait = Math.min(LOOK_LAST, wait * 1.5);
        continue;
      }
      if (result.done) break;
      next = events.next();
      wait = LOOK_FIRST;
      const { event } = result.value;
      watch.heard(event);
      yield { event: result.value };
      if (event.type === 'turn_completed') return yield { rest: endOf(await turn.result()) };
      look = watch.mayRest && result.value.position !== null ? 'event' : null;
    }
    // Everything was told before: the turn had ended.
    if (!signal.aborted) yield { rest: endOf(await turn.result()) };
  } finally {
    stop.abort();
    next.catch(() => undefined);
    await events.return(undefined);
  }
}

/** Knows from the events whether the turn may wait for a person. */
class RestWatch {
  private readonly open = new Set<string>();
  /** Digests of calls, and ids of calls in doubt. */
  private readonly heardOf = new Set<string>();
  private last = '';

  /** @param isAsking a call may wait of which an earlier reader was told */
  constructor(private isAsking: boolean) {}

  /** A call waits, or one runs that may wait below. */
  get mayRest(): boolean {
    return this.isAsking || this.open.size > 0;
  }

  heard(event: WatchedEvent['event']): void {
    if (event.type === 'tool_started') this.open.add(event.call);
    if (event.type === 'tool_result' || event.type === 'tool_error') this.open.delete(event.call);
    if (event.type === 'approval_requested' || event.type === 'question_asked') this.asks(event.digest);
    if (event.type === 'tool_error' && event.effect === 'in_doubt') this.asks(event.call);
    if (event.type === 'step_started') this.isAsking = false;
  }

  /** Whether the events have told everything that waits. Those of the turn above do not tell what waits in sub-agents. */
  hasHeard({ view, questions }: Rest): boolean {
    return questions.every(
      ({ digest, id }) => this.heardOf.has(digest) || (this.heardOf.has(id) && view.calls.some((call) => call.digest === digest)),
    );
  }

  /** Whether it waits for something else than at the last rest. */
  isNew({ view }: Rest): boolean {
    const state = view.pending.join(' ');
    const isNew = state !== this.last;
    this.last = state;
    return isNew;
  }

  private asks(what: string): void {
    this.isAsking = true;
    this.heardOf.add(what);
  }
}

/** What the turn waits for; null: it goes on, or has ended. */
export async function restOf(turn: TurnHandle): Promise<Rest | null> {
  const view = await turn.status();
  if (view.ended_at !== null || view.pending.length === 0 || view.calls.some((call) => isBusy(view, call))) return null;
  const { questions, unread } = await turn.waiting(view);
  return questions.length + unread.length === 0 ? null : { view, questions, unread, hasEnded: false };
}

export function endOf(view: TurnView): Rest {
  return { view, questions: [], unread: [], hasEnded: true };
}

/** A proposed call is checked, and may ask a person next. A sub-agent's call runs while its own turn waits: then it is not busy. */
function isBusy({ sub_turns = [] }: TurnView, { id, state }: TurnView['calls'][number]): boolean {
  if (state === 'proposed') return true;
  return state === 'running' && !sub_turns.some(({ call_id, waiting }) => call_id === id && waiting.length > 0);
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T | 'silence'> {
  const stop = new AbortController();
  const silence = sleep(ms, 'silence' as const, { signal: stop.signal }).catch(() => 'silence' as const);
  try {
    return await Promise.race([work, silence]);
  } finally {
    stop.abort();
  }
}
