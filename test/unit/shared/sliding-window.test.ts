import * as fc from 'fast-check';
import {
  addToWindow,
  moveInWindow,
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

  it('lets no window contain more than the limit if amounts begin later than they were let, and are moved then', () => {
    const gaps = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 1000 })), { maxLength: 100 });
    fc.assert(
      fc.property(windows, gaps, (window, script) => {
        const lateness = script.map(([, late]) => Math.min(late, window.perMs - 1));
        const starts: number[] = [];
        let cells: WindowCells = [];
        let now = T0;
        /** Let, and not begun yet. */
        const open: { from: number; at: number }[] = [];
        const begin = (until: number) => {
          for (const one of open.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)) {
            cells = moveInWindow(presentCells(cells, window.perMs, one.at), 1, window.perMs, { from: one.from, to: one.at });
            starts.push(one.at);
            open.splice(open.indexOf(one), 1);
          }
        };
        for (const [index, [gap]] of script.entries()) {
          now += gap;
          begin(now);
          cells = presentCells(cells, window.perMs, now);
          if (roomAt(cells, 1, window) > now) continue;
          cells = addToWindow(cells, 1, window.perMs, now);
          open.push({ from: now, at: now + lateness[index]! });
        }
        begin(Infinity);
        for (const start of starts)
          expect(starts.filter((one) => one >= start && one < start + window.perMs).length).toBeLessThanOrEqual(window.limit);
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
