/** What one process does under one name goes one after the other, so that it does not race with itself; names are independent. */
export class QueueByName {
  private readonly last = new Map<string, Promise<unknown>>();

  add<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.last.set(name, mine);
    const forget = () => void (this.last.get(name) === mine && this.last.delete(name));
    mine.then(forget, forget);
    return mine;
  }
}
