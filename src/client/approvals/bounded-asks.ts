/**
 * Asks workers many questions, a few at a time, so that a long inbox is no flood for them. Once no worker has answered for five
 * seconds, all questions that are left are given up.
 */
import type { Client } from '@temporalio/client';
import { errorMessage } from '../../shared/text/error-message';
import { NoWorker } from '../errors';
import { IdleTimeout, noWorkerError } from '../turns/missing-answer';
import { isUnanswered } from '../turns/turn-handle';

/** Workers are no longer asked after this time without an answer from any of them, ms. */
const NO_ANSWER_MS = 5000;
const AT_ONCE = 12;

export type Answered<T> = { ok: true; answer: T } | { ok: false; why: string; noWorker: boolean };

export class BoundedAsks {
  private burst: Burst | null = null;

  constructor(
    private readonly temporal: Client,
    private readonly taskQueue: string,
    /** What workers are asked for, in an error: `tell what waits`. */
    private readonly what: string,
  ) {}

  /** Never rejects: a turn whose worker is gone must not hide the others. */
  async ask<T>(question: () => Promise<T>): Promise<Answered<T>> {
    const burst = this.join();
    try {
      return { ok: true, answer: await burst.ask(() => this.temporal.connection.withAbortSignal(burst.signal, question)) };
    } catch (error) {
      const noWorker = error instanceof NoWorker || isUnanswered(error) || burst.signal.aborted;
      return {
        ok: false,
        noWorker,
        why: errorMessage(
          noWorker ? await burst.why(() => noWorkerError(this.temporal, { taskQueue: this.taskQueue }, this.what)) : error,
        ),
      };
    } finally {
      if (burst.leave() && this.burst === burst) this.burst = null;
    }
  }

  /** Questions that overlap share one time limit; after it was reached, new ones begin another. */
  private join(): Burst {
    if (this.burst === null || this.burst.signal.aborted) this.burst = new Burst();
    this.burst.join();
    return this.burst;
  }
}

/** Questions that overlap. */
class Burst {
  private readonly timeout = new IdleTimeout(NO_ANSWER_MS);
  private readonly queue: (() => void)[] = [];
  private asked = 0;
  private members = 0;
  private reason: Promise<NoWorker> | undefined;

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
    if (this.asked >= AT_ONCE) await new Promise<void>((resolve) => this.queue.push(resolve));
    this.asked += 1;
    try {
      this.signal.throwIfAborted();
      const answer = await question();
      this.timeout.broken();
      return answer;
    } finally {
      this.asked -= 1;
      this.queue.shift()?.();
    }
  }

  /** Found out once for all questions, and outside of the requests that were aborted. */
  why(find: () => Promise<NoWorker>): Promise<NoWorker> {
    return (this.reason ??= find());
  }
}
