/**
 * A sliding window of amounts: what began, or was used, within the last `perMs`. Amounts are kept in cells of a hundredth of the
 * window, so that it stays small at any rate. An amount counts until one window after its cell's end: no window contains more than
 * was allowed, and at most a hundredth of the rate is lost. Times are ms since 1970.
 */
/** End of a cell, the amount in it; oldest first. */
export type WindowCells = [end: number, amount: number][];

const CELLS = 100;

/**
 * The cells that still count. A clock that was set back leaves ends further in the future than they can have been written: they are
 * reduced, so that the change delays by one window, not by hours.
 */
export function presentCells(cells: WindowCells, perMs: number, now: number): WindowCells {
  return cells
    .map(([end, amount]): [number, number] => [Math.min(end, now + cellMs(perMs)), amount])
    .filter(([end]) => end + perMs > now);
}

export function addToWindow(cells: WindowCells, amount: number, perMs: number, now: number): WindowCells {
  return changeCell(cells, perMs, now, (before) => before + amount);
}

/** Counts an amount from another time on than it was added at. The total stays, unless the amount had left the window. */
export function moveInWindow(
  cells: WindowCells,
  amount: number,
  perMs: number,
  { from, to }: { from: number; to: number },
): WindowCells {
  const end = cellEnd(perMs, from);
  const rest = cells.flatMap(([other, before]): WindowCells => {
    const left = other === end ? before - amount : before;
    return left > 0 ? [[other, left]] : [];
  });
  return addToWindow(rest, amount, perMs, to);
}

/** Each cell keeps the largest amount. */
export function raiseInWindow(cells: WindowCells, amount: number, perMs: number, now: number): WindowCells {
  return changeCell(cells, perMs, now, (before) => Math.max(before, amount));
}

function changeCell(cells: WindowCells, perMs: number, now: number, change: (before: number) => number): WindowCells {
  const end = cellEnd(perMs, now);
  if (!cells.some(([other]) => other === end))
    return [...cells, [end, change(0)] as [number, number]].sort((a, b) => a[0] - b[0]);
  return cells.map(([other, before]) => [other, other === end ? change(before) : before]);
}

export function windowTotal(cells: WindowCells): number {
  return cells.reduce((sum, [, amount]) => sum + amount, 0);
}

/** When the window has room for `amount` more; 0: at once. An amount above the limit has room when nothing else counts. */
export function roomAt(cells: WindowCells, amount: number, { limit, perMs }: { limit: number; perMs: number }): number {
  let total = windowTotal(cells);
  let free = 0;
  for (const [end, before] of cells) {
    if (total + Math.min(amount, limit) <= limit) break;
    total -= before;
    free = end + perMs;
  }
  return free;
}

export function isWindow(value: unknown): value is WindowCells {
  return (
    Array.isArray(value) && value.every((cell) => Array.isArray(cell) && Number.isFinite(cell[0]) && Number.isFinite(cell[1]))
  );
}

function cellEnd(perMs: number, at: number): number {
  const cell = cellMs(perMs);
  return (Math.floor(at / cell) + 1) * cell;
}

function cellMs(perMs: number): number {
  return Math.max(1, Math.ceil(perMs / CELLS));
}
