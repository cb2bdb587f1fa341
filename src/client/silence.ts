/** How long to wait for several who may all be gone: while any of them answers, the others may yet. */
export class Silence {
  private readonly giveUp = new AbortController();
  private timer: NodeJS.Timeout;

  /** @param forMs without any answer: then the signal aborts */
  constructor(private readonly forMs: number) {
    this.timer = this.begin();
  }

  get signal(): AbortSignal {
    return this.giveUp.signal;
  }

  /** Somebody has answered. */
  broken(): void {
    clearTimeout(this.timer);
    this.timer = this.begin();
  }

  /** Nobody is waited for any more. */
  over(): void {
    clearTimeout(this.timer);
  }

  private begin(): NodeJS.Timeout {
    return setTimeout(() => this.giveUp.abort(), this.forMs);
  }
}
