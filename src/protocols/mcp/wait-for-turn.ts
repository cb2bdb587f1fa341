/**
 * Waits for a turn to end, and asks the MCP client's user about calls that wait for a decision. Returns early if nobody here can
 * decide, or the time is over. Also keeps the last events of an MCP session, for clients that reconnect.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { WaitingCall } from '../../shapes/turn-view';
import type { TurnView } from '../../shared/turn/turn-view';
import type { TurnEvent } from '../../shapes/turn-event';
import type { Open } from './results';
import type { EventStore, JSONRPCMessage } from './sdk';

/**
 * Asks a person about a waiting call.
 * @returns why it still waits; null: it is decided
 */
export type Ask = (turn: TurnHandle, digest: string, withdrawn: AbortSignal) => Promise<string | null>;

/** How to ask, by what waits. Null: no person can be asked here. */
export interface Asks {
  approval: Ask | null;
  question: Ask | null;
}

export interface Following {
  asks: Asks;
  /** Ends the wait; the turn goes on. */
  signal: AbortSignal;
  /** Longest wait, ms. */
  atMost: number;
  /** Gets every event. */
  heard?: (event: TurnEvent) => void;
}

export type FollowResult = { ended: TurnView } | { open: Open };

/** @throws TurnNotFound, NoWorker; AbortError when the signal aborts */
export async function follow(turn: TurnHandle, { asks, signal, atMost, heard }: Following): Promise<FollowResult> {
  const stop = new AbortController();
  let tooLong: NodeJS.Timeout | undefined;
  const questions = new Questions(turn, asks);
  const onAbort = () => stop.abort();
  signal.addEventListener('abort', onAbort);
  try {
    signal.throwIfAborted();
    const watching = async (): Promise<FollowResult> => {
      for await (const event of turn.watch({ signal: stop.signal })) {
        heard?.(event);
        if (event.type === 'approval_requested') questions.about(event.call, 'approval');
        if (event.type === 'question_asked') questions.about(event.call, 'question');
        if (ENDS_A_QUESTION.includes(event.type) && 'call' in event) questions.withdraw(event.call);
        if (event.type === 'tool_error') {
          if (event.effect === 'in_doubt') questions.about(event.call, 'in_doubt');
          else questions.withdraw(event.call);
        }
        if (event.type === 'turn_completed') return { ended: await turn.result() };
      }
      throw stop.signal.reason; // otherwise the watch ends only when it is stopped
    };
    const time = new Promise<FollowResult>((resolve) => {
      tooLong = setTimeout(() => resolve({ open: { why: 'time' } }), atMost);
    });
    return await Promise.race([watching(), questions.openQuestion, time]);
  } finally {
    clearTimeout(tooLong);
    signal.removeEventListener('abort', onAbort);
    stop.abort();
    await questions.stop();
  }
}

const ENDS_A_QUESTION: readonly TurnEvent['type'][] = ['tool_started', 'tool_result', 'question_answered'];

const MORE_HAVE_TO = 'The decision was accepted; other people must decide too.';

const LOOK_EVERY_MS = 200;

/** Asks one question at a time: users answer several dialogues at once without reading them. */
class Questions {
  private last: Promise<unknown> = Promise.resolve();
  private readonly open = new Map<string, AbortController>();
  private answer!: (result: FollowResult) => void;
  private fail!: (error: unknown) => void;
  /** Resolves with the first call that no person here can decide. */
  readonly openQuestion = new Promise<FollowResult>((resolve, reject) => {
    this.answer = resolve;
    this.fail = reject;
  });

  constructor(
    private readonly turn: TurnHandle,
    private readonly asks: Asks,
  ) {
    this.openQuestion.catch(() => undefined);
  }

  /** The history may contain a question that was decided long ago: only a call that waits now is asked about. */
  about(call: string, why: 'approval' | 'question' | 'in_doubt'): void {
    this.withdraw(call);
    const withdrawn = new AbortController();
    this.open.set(call, withdrawn);
    const handling = this.last.then(() => this.handle(call, why, withdrawn.signal));
    this.last = handling.catch((error: unknown) => void (withdrawn.signal.aborted || this.fail(error)));
  }

  /** The call was decided, here or elsewhere: it is not asked about any more. */
  withdraw(call: string): void {
    this.open.get(call)?.abort();
    this.open.delete(call);
  }

  /** Resolves when no question is in progress any more. */
  async stop(): Promise<void> {
    for (const call of [...this.open.keys()]) this.withdraw(call);
    await this.last;
  }

  private async handle(call: string, why: 'approval' | 'question' | 'in_doubt', withdrawn: AbortSignal): Promise<void> {
    const waiting = await this.waiting(call, withdrawn);
    if (waiting === null) return;
    if (why === 'in_doubt') return this.answer({ open: { why } });
    const ask = this.asks[why];
    const detail = ask === null ? null : await ask(this.turn, waiting.digest, withdrawn);
    if (withdrawn.aborted) return;
    if (ask === null || detail !== null) return this.answer({ open: { why, detail } });
    // One answer is enough.
    if (why === 'question') return;
    const still = (await this.turn.pending()).some(({ digest }) => digest === waiting.digest);
    if (still && !withdrawn.aborted) this.answer({ open: { why, detail: MORE_HAVE_TO } });
  }

  /** The call, once it waits; null: it was decided before. */
  private async waiting(id: string, withdrawn: AbortSignal): Promise<WaitingCall | null> {
    while (!withdrawn.aborted) {
      const call = (await this.turn.pending()).find((each) => each.id === id);
      if (call) return call;
      await sleep(LOOK_EVERY_MS, undefined, { signal: withdrawn }).catch(() => undefined);
    }
    return null;
  }
}

// The latest messages of one session, for a client that missed some when its connection broke.

const MOST_EVENTS = 1000;
const MOST_CHARACTERS = 4_000_000;
/** Of all sessions of this process together. */
const MOST_CHARACTERS_IN_ALL = 64_000_000;

interface StoredMessage {
  id: string;
  streamId: string;
  message: JSONRPCMessage;
  size: number;
}

export class RecentEvents implements EventStore {
  /** The oldest first. */
  private messages: StoredMessage[] = [];
  private size = 0;
  private count = 0;

  /** @param all those of all sessions that are open */
  constructor(private readonly all: () => Iterable<RecentEvents>) {}

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = String(++this.count);
    const size = JSON.stringify(message).length;
    this.messages.push({ id, streamId, message, size });
    this.size += size;
    while (this.messages.length > MOST_EVENTS || (this.size > MOST_CHARACTERS && this.messages.length > 1)) this.dropOldest();
    this.makeRoom();
    return id;
  }

  /** The session with the most gives room. */
  private makeRoom(): void {
    const all = [...this.all()];
    let total = all.reduce((sum, { size }) => sum + size, 0);
    while (total > MOST_CHARACTERS_IN_ALL)
      total -= all.reduce((largest, events) => (events.size > largest.size ? events : largest)).dropOldest();
  }

  private dropOldest(): number {
    const { size } = this.messages.shift()!;
    this.size -= size;
    return size;
  }

  knows(id: string): boolean {
    return this.messages.some((event) => event.id === id);
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.messages.findIndex(({ id }) => id === lastEventId);
    const last = this.messages[at];
    if (!last) throw new Error('This event is not known any more.');
    for (const { id, streamId, message } of this.messages.slice(at + 1))
      // An empty message only opens a stream.
      if (streamId === last.streamId && Object.keys(message).length > 0) await send(id, message);
    return last.streamId;
  }
}
