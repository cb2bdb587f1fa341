/** The limits of a model over several workers of one store, of each kind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelGate } from '../../../src/model/limits/gate';
import { silent } from '../../support/silent';
import { overEachKind } from './support/kinds';

jest.setTimeout(180_000);

overEachKind((fresh) => {
  test('requests that several workers let begin at once never exceed the limit of a window, and all begin in the end', async () => {
    const place = await fresh();
    const windowMs = 500;
    const limit = 10;
    const gates = await Promise.all(
      [1, 2, 3].map(async () => new ModelGate((await place.open()).registers, silent, { windowMs })),
    );
    const began: number[] = [];
    const request = async (n: number): Promise<void> => {
      const { signal } = new AbortController();
      const asker = { id: `turn ${n}`, of: `session ${n % 7}`, inputTokens: 1, maxTokens: 1 };
      for (;;) {
        const gate = gates[Math.floor(Math.random() * gates.length)]!; // a step may come back on any worker
        const entry = await gate.enter({ model: 'opus', limits: { requestsPerMinute: limit }, asker }, signal);
        if (entry.ok) break;
        await sleep(entry.awayMs ?? 0);
      }
      began.push(performance.now());
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => request(n)));
    for (const [i, at] of began.entries()) {
      const next = began[i + limit];
      expect(next === undefined || next - at >= windowMs).toBe(true);
    }
    expect(began).toHaveLength(40);
  });
});
