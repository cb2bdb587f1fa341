/** The value below which a share `q` of the sample lies (nearest rank). */
export function quantile(sample: number[], q: number): number {
  const sorted = [...sample].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)]!;
}

export const median = (sample: number[]): number => quantile(sample, 0.5);
