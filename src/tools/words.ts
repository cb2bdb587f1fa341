/** Text into words for full-text search, of any script; the same on every worker. */

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no spaces between words. */
export const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Words of a text, as they stand; `camelCase` and `snake_case` count as several. */
export function words(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap((run) => {
    if (UNSPACED.test(run)) return [...segmenter.segment(run)].filter((part) => part.isWordLike).map((part) => part.segment);
    return run.split(/(?<=\p{Ll})(?=\p{Lu})/u);
  });
}

/** Words that say nothing about a subject. */
const EMPTY = new Set(
  (
    'a about all also an and any are as at be been but by can could did do does for from get give had has have her him his how i if in into is it its ' +
    'let me my need no not of on one or our out over please shall she should so some tell than that the their them then there these they this to ' +
    'up us use used using want was we were what when where which who why will with would you your'
  ).split(' '),
);

/** A word as an index keeps it: lower case, without a plural's ending; null for one that says nothing. */
export function indexed(word: string): string | null {
  const lower = word.normalize('NFKC').toLowerCase().slice(0, 64);
  if (EMPTY.has(lower)) return null;
  if (lower.length > 4 && lower.endsWith('ies')) return `${lower.slice(0, -3)}y`;
  return lower.length > 3 && lower.endsWith('s') && !lower.endsWith('ss') ? lower.slice(0, -1) : lower;
}
