/** How long at least one piece of upstream work was under way: what runs side by side counts once. */
export class NetworkClock {
  private running = 0;
  private since = 0;
  private sum = 0;

  async measure<T>(work: () => Promise<T>): Promise<T> {
    if (this.running++ === 0) this.since = Date.now();
    try {
      return await work();
    } finally {
      if (--this.running === 0) this.sum += Date.now() - this.since;
    }
  }

  /** Milliseconds so far. */
  total(): number {
    return this.sum + (this.running > 0 ? Date.now() - this.since : 0);
  }
}
