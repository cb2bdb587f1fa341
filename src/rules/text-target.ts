/** Text patterns such as `*@bank.example`: `*` takes anything. */
import { matchesWildcard } from './wildcard';

const LONGEST = 4096;

/** As written; no control or invisible character may hide in what `*` takes. */
export function allowsText(pattern: string): (text: string) => boolean {
  return (text) => text.length <= LONGEST && !/\p{C}/u.test(text) && matchesWildcard(pattern, text);
}

/** In any case, around spaces and look-alikes; what is too long to look at meets every pattern. */
export function forbidsText(pattern: string): (text: string) => boolean {
  const loose = folded(pattern);
  return (text) => text.length > LONGEST || matchesWildcard(pattern, text) || matchesWildcard(loose, folded(text));
}

function folded(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .trim()
    .toLowerCase();
}
