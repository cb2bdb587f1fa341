/** Fields of a definition that nobody reads: a rule under a misspelt name binds nobody, and nothing else would show it. */

/**
 * One fault for each, with the right name where one is near.
 * @param at what the fields stand in, for the message: `permissions`; empty for the definition itself
 */
export function unknownFields(given: unknown, known: readonly string[], at = ''): string[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      const where = at === '' ? '' : `${at}.`;
      const rest = near === null ? `the fields are ${known.join(', ')}` : `did you mean ${near}?`;
      return `${where}${name.slice(0, 100)} is no field; ${rest}`;
    });
}

/** The known name that takes the fewest changes; null where none is near. */
export function nearest(name: string, known: readonly string[]): string | null {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const wanted = plain(name.slice(0, 100));
  let best: { name: string; steps: number } | null = null;
  for (const candidate of known) {
    const other = plain(candidate);
    // Half of a longer name, such as `timeout` for `timeoutMs`, is near too.
    const isPart = wanted.length >= 4 && (other.startsWith(wanted) || wanted.startsWith(other));
    const steps = isPart ? 1 + Math.abs(wanted.length - other.length) / 100 : changes(wanted, other);
    if (steps <= Math.max(2, Math.floor(other.length / 4)) && steps < other.length && (best === null || steps < best.steps))
      best = { name: candidate, steps };
  }
  return best?.name ?? null;
}

/** Levenshtein's distance. */
function changes(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries())
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === other ? 0 : 1)));
    row = next;
  }
  return row[to.length]!;
}
