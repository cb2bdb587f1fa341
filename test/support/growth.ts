/** How CPU grows with the length of a text: in proportion to it, or faster. A ratio within one run; never a time by itself. */
export function growth(work: (length: number) => void, length: number): number {
  const took = (many: number) => {
    const before = process.cpuUsage();
    work(many);
    return process.cpuUsage(before).user;
  };
  // The best of several: what else the process does then, such as collecting garbage, tells nothing.
  const best = (many: number) => Math.min(...Array.from({ length: 4 }, () => took(many)));
  const [short, long] = [best(length), best(length * 4)];
  return long / Math.max(short, 5000); // below 5 ms nothing is told
}

/** Four times the text: 16 would be its square, 64 its cube. */
export const IN_PROPORTION = 12;
