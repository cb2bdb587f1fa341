/**
 * The moment from which something must not happen any more, by two clocks: it has passed as soon as either says so. A machine
 * that is suspended stops the monotonic clock, and a wall clock that is set back gives time that nobody has.
 */
export class Deadline {
  private constructor(
    /** By the wall clock, ms since 1970: what others are told. */
    readonly at: number,
    private readonly tick: number,
  ) {}

  /** So many ms from now. */
  static in(ms: number): Deadline {
    return new Deadline(Date.now() + ms, performance.now() + ms);
  }

  /** The same moment in another thread of this process. */
  static fromTransfer({ at, monotonic }: SentDeadline): Deadline {
    return new Deadline(at, performance.now() + Number(monotonic - process.hrtime.bigint()) / 1e6);
  }

  /** For another thread, whose `performance.now()` counts from another beginning. */
  get transferForm(): SentDeadline {
    return { at: this.at, monotonic: process.hrtime.bigint() + BigInt(Math.round((this.tick - performance.now()) * 1e6)) };
  }

  /** ms; zero or less once it has passed. */
  get remainingMs(): number {
    return Math.min(this.at - Date.now(), this.tick - performance.now());
  }

  get hasPassed(): boolean {
    return this.remainingMs <= 0;
  }
}

/** A deadline as it can be copied. */
export interface SentDeadline {
  at: number;
  /** By the clock of `process.hrtime`, which all threads share, ns. */
  monotonic: bigint;
}
