/**
 * Summarises a sample of numbers. Mean and variance use Welford's recurrence (B. P. Welford, Technometrics 4(3), 1962), which
 * subtracts no large sums, so values with a large common offset keep their spread. The values are first scaled by a power of two,
 * which is exact, so that the squares of huge values do not overflow and those of tiny values do not vanish.
 */
export interface Summary {
  n: number;
  mean: number;
  /** Sample standard deviation, divisor n − 1; 0 for one value. */
  stdev: number;
  min: number;
  max: number;
  median: number;
}

/** @param values at least one, all finite */
export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  const [min, max] = [sorted[0]!, sorted[n - 1]!];
  const scale = powerOfTwo(Math.max(Math.abs(min), Math.abs(max)));
  let mean = 0;
  let squares = 0;
  sorted.forEach((value, i) => {
    const x = value / scale;
    const delta = x - mean;
    mean += delta / (i + 1);
    squares += delta * (x - mean);
  });
  const middle = n % 2 === 1 ? sorted[(n - 1) / 2]! : sorted[n / 2 - 1]! / 2 + sorted[n / 2]! / 2;
  const stdev = n > 1 ? Math.sqrt(squares / (n - 1)) * scale : 0;
  return { n, mean: clamp(mean * scale, min, max), stdev, min, max, median: clamp(middle, min, max) };
}

/** The largest power of two that is not above |x|; 1 for zero. Subnormal numbers are scaled as the least normal one. */
function powerOfTwo(x: number): number {
  return x === 0 ? 1 : 2 ** Math.max(-1022, Math.min(1023, Math.floor(Math.log2(x))));
}

/** Rounding must not put a mean outside of its values. */
function clamp(x: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, x));
}
