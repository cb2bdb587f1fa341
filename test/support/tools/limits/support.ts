import type { Json } from '../../../../src/shared/json/json';
import type { RegisterStore } from '../../../../src/store/store';
import { reads } from '../../tools';

export const CONCURRENT = reads('few_at_once', () => 1, { limits: { concurrency: 2 } });
export const RATED = reads('few_a_second', () => 1, { limits: { rate: { calls: 5, perMs: 300 } } });
export const FREE = reads('free', () => 1);

/** Registers of one process, on a clock that the test sets. */
export class MemoryRegisters implements RegisterStore {
  private readonly values = new Map<string, Json>();

  constructor(readonly clock: () => number = Date.now) {}

  async read(name: string) {
    return { value: this.values.get(name) ?? null, now: this.clock() };
  }

  async update<T>(name: string, change: (value: Json, now: number) => { value?: Json; answer: T }): Promise<T> {
    const { value, answer } = change(this.values.get(name) ?? null, this.clock());
    if (value !== undefined) this.values.set(name, value);
    return answer;
  }
}
