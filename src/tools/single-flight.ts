import { orAborted } from './or-aborted';

/** Work that several ask for at once under one key runs once; all of them get its outcome. */
export class SingleFlight<T> {
  private readonly running = new Map<string, Promise<{ value: T } | null>>();

  /**
   * `shared`: another caller's work gave the value. Work that throws (a cancellation, a call that is given back to be
   * tried later) is that caller's own affair: the others then run theirs.
   * @param signal ends this caller's waiting, not the work that others wait for
   * @throws what `work` throws; the signal's reason
   */
  async run(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<{ value: T; shared: boolean }> {
    for (;;) {
      const running = this.running.get(key);
      if (!running) return { value: await this.lead(key, work), shared: false };
      const outcome = await orAborted(running, signal);
      if (outcome) return { value: outcome.value, shared: true };
    }
  }

  private lead(key: string, work: () => Promise<T>): Promise<T> {
    const mine = work().finally(() => this.running.delete(key));
    this.running.set(
      key,
      mine.then(
        (value) => ({ value }),
        () => null,
      ),
    );
    return mine;
  }
}
