/**
 * Maps times to the width of the picture. A turn works for seconds and waits for hours, so the width between two moments grows with
 * the logarithm of the time between them, and each bar says how long it took.
 */
import type { Row } from './spans';

const NARROWEST = 640;
const WIDEST = 6000;

export interface Scale {
  width: number;
  /** @param at ms since 1970; one of the moments */
  x(at: number): number;
  /** Moments with enough room for a label. */
  ticks: { x: number; after: number }[];
}

export function scaleOf(rows: readonly Row[]): Scale {
  const all = rows.flatMap(({ bars, marks }) => [...bars.flatMap(({ from, to }) => [from, to]), ...marks.map(({ at }) => at)]);
  const moments = [...new Set(all)].sort((a, b) => a - b);
  const raw = new Map<number, number>();
  let sum = 0;
  moments.forEach((moment, index) => {
    if (index > 0) sum += 6 + 9 * Math.log2(1 + (moment - moments[index - 1]!) / 10);
    raw.set(moment, sum);
  });
  const width = Math.min(WIDEST, Math.max(NARROWEST, sum));
  const factor = sum === 0 ? 1 : width / sum;
  const x = (at: number) => Math.round((raw.get(at) ?? 0) * factor * 10) / 10;
  return { width, x, ticks: ticks(moments, x) };
}

function ticks(moments: number[], x: (at: number) => number): Scale['ticks'] {
  const spacedTicks: Scale['ticks'] = [];
  for (const moment of moments) {
    const at = x(moment);
    if (spacedTicks.length === 0 || at - spacedTicks.at(-1)!.x >= 90) spacedTicks.push({ x: at, after: moment - moments[0]! });
  }
  return spacedTicks;
}
