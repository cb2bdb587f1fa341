import * as fc from 'fast-check';
import { batches, forEachConcurrent } from '../../../src/shared/turn/calls';

const calls = fc.array(fc.record({ id: fc.nat(), parallel: fc.boolean() }));

describe('batches', () => {
  it('keep every call, in order', () => {
    fc.assert(fc.property(calls, (list) => expect(batches(list).flat()).toEqual(list)));
  });

  it('never put an unsafe call beside another', () => {
    fc.assert(
      fc.property(calls, (list) => {
        for (const batch of batches(list)) if (batch.some((call) => !call.parallel)) expect(batch).toHaveLength(1);
      }),
    );
  });

  it('put neighbours that are safe together', () => {
    fc.assert(
      fc.property(calls, (list) => {
        const made = batches(list);
        for (let i = 1; i < made.length; i++) expect(made[i - 1]![0]!.parallel && made[i]![0]!.parallel).toBe(false);
      }),
    );
  });
});

describe('a capped run', () => {
  it('never exceeds its cap, runs everything, and begins in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (delays, cap) => {
        let inside = 0;
        const begun: number[] = [];
        const items = delays.map((delay, index) => ({ delay, index }));
        await forEachConcurrent(items, cap, async ({ delay, index }) => {
          begun.push(index);
          expect(++inside).toBeLessThanOrEqual(cap);
          for (let i = 0; i < delay; i++) await Promise.resolve();
          inside -= 1;
        });
        expect(begun).toEqual(items.map((item) => item.index));
      }),
    );
  });

  it('begins nothing new after an error, and throws only when nothing runs any more', async () => {
    const ended: number[] = [];
    const begun: number[] = [];
    const run = forEachConcurrent([0, 1, 2, 3], 2, async (item) => {
      begun.push(item);
      if (item === 0) throw new Error('first');
      await new Promise((resolve) => setTimeout(resolve, 20));
      ended.push(item);
    });
    await expect(run).rejects.toThrow('first');
    expect(ended).toEqual([1]);
    expect(begun).toEqual([0, 1]);
  });
});
