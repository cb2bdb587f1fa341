/** Makes `performance.now()` go ahead without waiting, until the test's mocks are restored. @returns sets it ahead, ms */
export function clockAhead(): (ms: number) => void {
  const now = performance.now.bind(performance);
  let ahead = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  return (ms) => void (ahead += ms);
}

/** With Jest's fake timers: lets them run until the promise has settled. */
export async function settledByTimers<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const end = () => void (settled = true);
  promise.then(end, end);
  while (!settled) await jest.advanceTimersByTimeAsync(100);
  return promise;
}

/** Sets `Date` of this process to another time, from which it goes on, until `restore`. */
export class DateAhead {
  private readonly real = Date;
  private aheadMs = 0;

  constructor() {
    const now = () => this.real.now() + this.aheadMs;
    globalThis.Date = new Proxy(this.real, {
      construct: (target, args: [], as) => Reflect.construct(target, args.length > 0 ? args : [now()], as) as Date,
      get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
    });
  }

  setTo(ms: number): void {
    this.aheadMs = ms - this.real.now();
  }

  restore(): void {
    globalThis.Date = this.real;
  }
}
