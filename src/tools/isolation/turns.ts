/**
 * Who goes next where there are fewer threads than tasks: owners take turns, so that whoever asks for a hundred tasks waits
 * behind himself; and one owner never has all threads, so that others do not wait for his time limits.
 */
export class Turns {
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private taken = 0;

  private readonly mostOfOne: number;

  /** @param places how many run at once; where there is one only, an owner can have it */
  constructor(private readonly places: number) {
    this.mostOfOne = Math.max(1, places - 1);
  }

  /**
   * Resolves when a place is free for the owner, who leaves it by `leave`.
   * @param signal ends the wait; its reason is thrown, and there is no place to leave
   */
  enter(owner: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const giveUp = () => {
        this.forget(owner, next);
        reject(signal!.reason as Error);
      };
      const next = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.set(owner, [...(this.waiting.get(owner) ?? []), next]);
      this.admit();
    });
  }

  leave(owner: string): void {
    this.taken -= 1;
    const left = this.running.get(owner)! - 1;
    if (left === 0) this.running.delete(owner);
    else this.running.set(owner, left);
    this.admit();
  }

  private admit(): void {
    while (this.taken < this.places) {
      const owner = [...this.waiting.keys()].find((one) => (this.running.get(one) ?? 0) < this.mostOfOne);
      if (owner === undefined) return;
      const [next, ...rest] = this.waiting.get(owner)!;
      this.waiting.delete(owner);
      if (rest.length > 0) this.waiting.set(owner, rest); // behind the others
      this.taken += 1;
      this.running.set(owner, (this.running.get(owner) ?? 0) + 1);
      next!();
    }
  }

  private forget(owner: string, next: () => void): void {
    const rest = (this.waiting.get(owner) ?? []).filter((one) => one !== next);
    if (rest.length > 0) this.waiting.set(owner, rest);
    else this.waiting.delete(owner);
  }
}
