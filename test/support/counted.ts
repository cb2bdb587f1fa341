/** A metric meter that keeps what it is told. */
import type { MetricMeter } from '@temporalio/common';

export class Counted {
  /** `name{label="value"}` → the sum of a counter, or the last value of a gauge or histogram. */
  readonly values: Record<string, number> = {};

  readonly meter = {
    createCounter: (name: string) => ({ add: (by: number, labels: object) => this.change(name, labels, (now) => now + by) }),
    createGauge: (name: string) => ({ set: (to: number, labels: object) => this.change(name, labels, () => to) }),
    createHistogram: (name: string) => ({ record: (to: number, labels: object) => this.change(name, labels, () => to) }),
  } as unknown as MetricMeter;

  private change(name: string, labels: object, next: (now: number) => number): void {
    const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
    const key = `${name}{${pairs.join(',')}}`;
    this.values[key] = next(this.values[key] ?? 0);
  }
}
