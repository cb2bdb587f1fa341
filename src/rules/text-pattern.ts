/** Matches text patterns such as `*@bank.example`: `*` matches anything, and nothing else is special. */

const LONGEST = 4096;

/** Matches as written; a text with control or invisible characters matches no pattern. */
export function allowsText(pattern: string): (text: string) => boolean {
  return (text) => text.length <= LONGEST && !/\p{C}/u.test(text) && matchesWildcard(pattern, text);
}

/** Matches in any case, despite outer spaces and look-alikes; a text that is too long matches every pattern. */
export function forbidsText(pattern: string): (text: string) => boolean {
  const loose = foldText(pattern);
  return (text) => text.length > LONGEST || matchesWildcard(pattern, text) || matchesWildcard(loose, foldText(text));
}

function foldText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .trim()
    .toLowerCase();
}

/** Takes time of at most pattern × text: no regular expression, so no input makes it slow. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let mark = 0;
  for (let index = 0; index < text.length;) {
    if (pattern[at] === '*') {
      star = at++;
      mark = index;
    } else if (pattern[at] === text[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++mark;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
