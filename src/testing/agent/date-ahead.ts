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
