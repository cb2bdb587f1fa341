/**
 * A deadline measured by two clocks, monotonic and wall: it has passed as soon as either clock has reached it. The monotonic clock
 * stops while a machine is suspended, and a wall clock that is set back would extend the time.
 */
export class Deadline {
  private constructor(
    /** By the wall clock, ms since 1970: the value for tools and other processes. */
    readonly at: number,
    private readonly tick: number,
  ) {}

  /** A deadline `ms` from now. */
  static in(ms: number): Deadline {
    return new Deadline(Date.now() + ms, performance.now() + ms);
  }

  /** The same moment in another thread of this process. */
  static fromTransfer({ at, monotonic }: SentDeadline): Deadline {
    return new Deadline(at, performance.now() + Number(monotonic - process.hrtime.bigint()) / 1e6);
  }

  /** For another thread, whose `performance.now()` has another start. */
  get transferForm(): SentDeadline {
    return { at: this.at, monotonic: process.hrtime.bigint() + BigInt(Math.round((this.tick - performance.now()) * 1e6)) };
  }

  /** Time left, ms; zero or less after the deadline. */
  get remainingMs(): number {
    return Math.min(this.at - Date.now(), this.tick - performance.now());
  }

  get hasPassed(): boolean {
    return this.remainingMs <= 0;
  }
}

/** A deadline that can be sent to a thread. */
export interface SentDeadline {
  at: number;
  /** By `process.hrtime`, which all threads share, ns. */
  monotonic: bigint;
}
