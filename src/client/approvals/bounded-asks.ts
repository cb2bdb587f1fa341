/**
 * Asks workers many questions, a few at a time, so that a long inbox is no flood for them. Once nobody has answered for a task queue
 * for five seconds, all questions to it are given up: its workers are gone. Those to other queues go on.
 */
import type { Client } from '@temporalio/client';
import { errorMessage } from '../../shared/text/error-message';
import { NoWorker } from '../errors';
import { IdleTimeout, noWorkerError } from '../turns/missing-answer';
import { isUnanswered } from '../turns/turn-handle';

/** Workers are no longer asked after this time without an answer from any of them, ms. */
const NO_ANSWER_MS = 5000;
const AT_ONCE = 12;
/** Of questions that had no answer before: they must not keep others waiting. */
const RETRIES_AT_ONCE = 4;

export type Answer<T> = { ok: true; answer: T } | { ok: false; why: string; noWorker: boolean };

export interface Question {
  taskQueue: string;
  /** It had no answer before. Default false. */
  isRetry?: boolean;
}

export class BoundedAsks {
  private readonly bursts = new Map<string, Burst>();
  private isClosed = false;

  /**
   * @param taskQueue the client's own: an error says when its workers polled last
   * @param what what workers are asked for, for an error: `tell what waits`
   */
  constructor(
    private readonly temporal: Client,
    private readonly taskQueue: string,
    private readonly what: string,
  ) {}

  /** Never rejects: a turn whose worker is gone must not hide the others. */
  async ask<T>({ taskQueue, isRetry = false }: Question, question: () => Promise<T>): Promise<Answer<T>> {
    const key = `${isRetry} ${taskQueue}`;
    const burst = this.join(key, isRetry ? RETRIES_AT_ONCE : AT_ONCE);
    try {
      const ask = () => {
        if (this.isClosed) throw new Error('This client is closed.');
        return this.temporal.connection.withAbortSignal(burst.signal, question);
      };
      return { ok: true, answer: await burst.ask(ask) };
    } catch (error) {
      const noWorker = error instanceof NoWorker || isUnanswered(error) || burst.signal.aborted;
      const find = () => noWorkerError(this.temporal, { taskQueue: this.taskQueue }, this.what);
      return { ok: false, noWorker, why: errorMessage(noWorker ? await burst.why(find) : error) };
    } finally {
      if (burst.leave() && this.bursts.get(key) === burst) this.bursts.delete(key);
    }
  }

  /** Questions that have not been asked yet are not asked any more. */
  close(): void {
    this.isClosed = true;
  }

  /** After a burst has been given up, new questions begin another. */
  private join(key: string, atOnce: number): Burst {
    const running = this.bursts.get(key);
    const burst = running === undefined || running.signal.aborted ? new Burst(atOnce) : running;
    this.bursts.set(key, burst);
    burst.join();
    return burst;
  }
}

/** Questions to one task queue that overlap: they share one time limit. */
class Burst {
  private readonly timeout = new IdleTimeout(NO_ANSWER_MS);
  private readonly queue: (() => void)[] = [];
  private running = 0;
  private members = 0;
  private reason: Promise<NoWorker> | undefined;

  constructor(private readonly atOnce: number) {}

  get signal(): AbortSignal {
    return this.timeout.signal;
  }

  join(): void {
    this.members += 1;
  }

  /** @returns whether it was the last */
  leave(): boolean {
    this.members -= 1;
    if (this.members === 0) this.timeout.over();
    return this.members === 0;
  }

  async ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await new Promise<void>((resolve) => this.queue.push(resolve));
    this.running += 1;
    try {
      this.signal.throwIfAborted();
      const answer = await question();
      this.timeout.broken();
      return answer;
    } finally {
      this.running -= 1;
      this.queue.shift()?.();
    }
  }

  /** Found out once for all questions, and outside of the requests that were aborted. */
  why(find: () => Promise<NoWorker>): Promise<NoWorker> {
    return (this.reason ??= find());
  }
}
