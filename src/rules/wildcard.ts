/** Patterns in which `*` takes anything, and nothing else is special. */

/** In time of at most pattern × text: no regular expression, so no input makes it slow. */
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
