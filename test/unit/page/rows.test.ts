import fc from 'fast-check';
import { scrollToShow, visibleRows } from '../../../packages/page/src/lib/visible-rows';

const list = fc.record({
  count: fc.nat(5000),
  rowHeight: fc.integer({ min: 20, max: 200 }),
  scrollTop: fc.integer({ min: -100, max: 400_000 }),
  height: fc.integer({ min: 0, max: 3000 }),
});

it('draws every row that is in the window, and its height is that of all rows', () =>
  fc.assert(
    fc.property(list, (of) => {
      const { from, to, above, below } = visibleRows(of);
      expect(above + (to - from) * of.rowHeight + below).toBe(of.count * of.rowHeight);
      for (let row = 0; row < of.count; row += 1) {
        const top = row * of.rowHeight;
        const inWindow = top < of.scrollTop + of.height && top + of.rowHeight > of.scrollTop;
        if (inWindow) expect(row >= from && row < to).toBe(true);
      }
    }),
  ));

it('draws few rows of a long list', () => {
  const { from, to } = visibleRows({ count: 1000, rowHeight: 64, scrollTop: 30_000, height: 800 });
  expect(to - from).toBeLessThan(40);
});

it('scrolls only as far as a row needs', () => {
  expect(scrollToShow(3, 50, 0, 500)).toBeNull();
  expect(scrollToShow(20, 50, 0, 500)).toBe(550);
  expect(scrollToShow(2, 50, 300, 500)).toBe(100);
});
