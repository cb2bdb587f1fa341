import * as fc from 'fast-check';
import {
  addToWindow,
  presentCells,
  raiseInWindow,
  roomAt,
  windowTotal,
  type WindowCells,
} from '../../../src/shared/sliding-window';

const T0 = 1_700_000_000_000;
const windows = fc.record({ limit: fc.integer({ min: 1, max: 100 }), perMs: fc.integer({ min: 1, max: 5000 }) });

describe('a sliding window of amounts', () => {
  it('lets no window of its length contain more than the limit, if each amount is added when there is room', () => {
    const steps = fc.array(fc.record({ gap: fc.nat({ max: 400 }), amount: fc.integer({ min: 1, max: 30 }) }), { maxLength: 100 });
    fc.assert(
      fc.property(windows, steps, (window, script) => {
        let cells: WindowCells = [];
        let now = T0;
        const taken: { at: number; amount: number }[] = [];
        for (const { gap, amount } of script) {
          now += gap;
          cells = presentCells(cells, window.perMs, now);
          if (amount > window.limit || roomAt(cells, amount, window) > now) continue;
          cells = addToWindow(cells, amount, window.perMs, now);
          taken.push({ at: now, amount });
        }
        for (const { at } of taken) {
          const inWindow = taken.filter((one) => one.at >= at && one.at < at + window.perMs);
          expect(inWindow.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(window.limit);
        }
      }),
    );
  });

  it('says when there is room: not before that moment, and then there is', () => {
    fc.assert(
      fc.property(windows, fc.integer({ min: 1, max: 200 }), (window, amount) => {
        let cells: WindowCells = [];
        for (let i = 0; i < window.limit; i++) cells = addToWindow(cells, 1, window.perMs, T0 + i);
        const at = roomAt(cells, amount, window);
        const fits = (now: number) =>
          windowTotal(presentCells(cells, window.perMs, now)) + Math.min(amount, window.limit) <= window.limit;
        expect(fits(at - 1)).toBe(false);
        expect(fits(at)).toBe(true);
      }),
    );
  });

  it('keeps the largest amount of a cell where that is asked for', () => {
    const cells = raiseInWindow(raiseInWindow(raiseInWindow([], 5, 1000, T0), 9, 1000, T0), 3, 1000, T0);
    expect(cells).toEqual([[T0 + 10, 9]]);
  });
});
