/** Fields of a definition that nobody reads: a rule under a misspelt name binds nobody, and nothing else would show it. */
import { isOneSlip, nearest as mostAlike, similarity } from './text/similar';

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

/** Of names that are less alike nobody means the one by the other. */
const ALIKE = 0.6;

/** The known name that is most like it; null where none is near. */
export function nearest(name: string, known: readonly string[]): string | null {
  const slip = known.find((word) => isOneSlip(name.toLowerCase(), word.toLowerCase()));
  if (slip !== undefined) return slip;
  const [best] = mostAlike(name, known, 1);
  return best !== undefined && similarity(name, best) >= ALIKE ? best : null;
}
