/** Which rows of a long list are in the window: only these are in the document, so that a list of thousands stays fluent. */

export interface Rows {
  /** Index of the first row that is drawn. */
  from: number;
  /** Index after the last one. */
  to: number;
  /** Height of the rows before and after those, px. */
  above: number;
  below: number;
}

/** Rows that are drawn beyond the window on each side, so that scrolling shows no gap. */
const SPARE = 8;

export function visibleRows(of: { count: number; rowHeight: number; scrollTop: number; height: number }): Rows {
  const { count, rowHeight, scrollTop, height } = of;
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const from = Math.min(Math.max(0, first - SPARE), Math.max(0, count - 1));
  const to = Math.min(count, Math.max(from, first) + Math.ceil(Math.max(0, height) / rowHeight) + SPARE);
  return { from, to, above: from * rowHeight, below: (count - to) * rowHeight };
}

/** Where the list must be scrollTop to, so that a row is wholly in the window; null: it is. */
export function scrollToShow(row: number, rowHeight: number, scrollTop: number, height: number): number | null {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return Math.max(0, top + rowHeight - height);
  return null;
}
