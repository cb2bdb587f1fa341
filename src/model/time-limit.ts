/** The time limit of one model request, its stream included. */
import { classifyFailure, type FailureContext } from './failure';

/** Default limit of a request, ms. */
export const DEFAULT_TIMEOUT_MS = 600_000;

/** Combines the caller's signal and our time limit, and tells them apart afterwards: one is an abort, the other a failure. */
export class TimeLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = () => this.controller.abort();
  private hasExpired = false;
  private over = false;

  constructor(
    private readonly outer: AbortSignal,
    private readonly ms: number,
    private readonly context: FailureContext,
  ) {
    outer.addEventListener('abort', this.onAbort, { once: true });
    this.timer = setTimeout(() => {
      this.hasExpired = true;
      this.controller.abort();
    }, ms);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** @throws the caller's abort reason, or a timeout */
  throwIfOver(): void {
    this.outer.throwIfAborted();
    if (this.hasExpired)
      throw classifyFailure(new DOMException(`no complete answer in ${this.ms} ms`, 'TimeoutError'), this.context);
  }

  /** The answer was read to its end. */
  release(): void {
    this.over = true;
    clearTimeout(this.timer);
    this.outer.removeEventListener('abort', this.onAbort);
  }

  /** Ends a request whose answer was not read to its end. */
  abort(): void {
    if (this.over) return;
    this.release();
    this.controller.abort();
  }
}
