/** Measures how similar two words are, to suggest the right name for a misspelt one. */

/** Similarity of two words, from 0 to 1: Dice's coefficient over pairs of letters. */
export function similarity(a: string, b: string): number {
  const left = pairs(a);
  const right = pairs(b);
  const all = left.length + right.length;
  if (all === 0) return a === b ? 1 : 0;
  let matches = 0;
  for (const pair of left) {
    const at = right.indexOf(pair);
    if (at === -1) continue;
    right.splice(at, 1);
    matches += 1;
  }
  return (2 * matches) / all;
}

function pairs(text: string): string[] {
  const letters = text.slice(0, 500).toLowerCase();
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, index) => letters.slice(index, index + 2));
}

/**
 * Whether one slip makes one word of the other: a letter added, removed or replaced, or two letters exchanged. For short words,
 * pairs of letters say too little.
 */
export function isOneSlip(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < 3 || long.length - short.length > 1 || long.length > 500) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const rest = (word: string, from: number) => word.slice(from);
  if (short.length < long.length) return rest(short, at) === rest(long, at + 1);
  const isSwap = short[at] === long[at + 1] && short[at + 1] === long[at] && rest(short, at + 2) === rest(long, at + 2);
  return isSwap || rest(short, at + 1) === rest(long, at + 1);
}

/** The words most similar to `name`, best first; words that are not similar are left out. */
export function nearest(name: string, words: readonly string[], count = 3): string[] {
  return words
    .map((word) => ({ word, alike: similarity(name, word) }))
    .filter(({ alike }) => alike > 0.3)
    .sort((a, b) => b.alike - a.alike)
    .slice(0, count)
    .map(({ word }) => word);
}
