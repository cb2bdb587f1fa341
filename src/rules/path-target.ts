/**
 * Path patterns such as `/src/**`. A path is a hostile text: the two sides read it with opposite suspicion. An
 * allow rule takes only what can be read in one way; ask and deny rules take every reading that a file system might.
 */
import picomatch from 'picomatch';

const LONGEST_PATH = 1024;
const LONGEST_SEGMENT = 255;
/** Beyond these, matching could take long on a path that is made for it. */
const MOST_STARS = 3;
const MOST_BRACES = 3;

/** What is wrong with a path pattern, or null. */
export function pathPatternFault(pattern: string): string | null {
  if (/[()|!\\]/.test(pattern)) return 'a path pattern has *, **, ?, [a-z] and {a,b}; ( ) | ! and \\ are not among them';
  const segments = pattern.split('/');
  if (segments.filter((segment) => segment.includes('**')).length > MOST_STARS)
    return `more than ${MOST_STARS} ** in one pattern`;
  if (segments.some((segment) => segment.replaceAll('**', '').split('*').length - 1 > MOST_STARS))
    return `more than ${MOST_STARS} * between two slashes`;
  if (pattern.split('{').length - 1 > MOST_BRACES) return `more than ${MOST_BRACES} {} in one pattern`;
  if (normalise(pattern) === null) return 'it leaves the root';
  return null;
}

const COMMON = { noextglob: true, nonegate: true, regex: false, windows: false } as const;

/** Exactly as written; `*` takes no hidden file: what may run by itself has to name `.git` or `.env`. */
export function allowsPath(pattern: string): (path: string) => boolean {
  const matches = picomatch(rooted(pattern), { ...COMMON, dot: false });
  return (path) => {
    if (!isPlain(path)) return false;
    const normal = normalise(path);
    return normal !== null && matches(normal);
  };
}

/** In any case and spelling, hidden files too; a path that leaves the root, or is none, meets every pattern. */
export function forbidsPath(pattern: string): (path: string) => boolean {
  const matches = picomatch(rooted(pattern), { ...COMMON, dot: true, nocase: true });
  return (path) => {
    if (path.length > LONGEST_PATH) return true;
    return [path, respelled(path)].some((reading) => {
      const normal = normalise(reading.replaceAll('\\', '/'));
      return normal === null || matches(normal) || matches(`${normal}/`);
    });
  };
}

function rooted(pattern: string): string {
  const text = pattern.normalize('NFC');
  return text.startsWith('/') ? text : `/${text}`;
}

/** `/a/b` without `.`, `..` and doubled slashes; null when it leaves the root or holds a NUL. */
export function normalise(path: string): string | null {
  if (path.includes('\0')) return null;
  const out: string[] = [];
  for (const segment of path.normalize('NFC').split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') out.push(segment);
    else if (out.pop() === undefined) return null;
  }
  return `/${out.join('/')}`;
}

/** Control, format and unassigned characters, spaces that are not the space, and what only looks like a slash. */
const UNUSUAL = /[\p{C}\u2028\u2029\u2044\u2215\u2216\u29F5\u29F8\u29F9\uFE68\\]|(?! )\p{Z}/u;
const PERCENT = /%[0-9a-f]{2}/i;

/** Every system reads it alike: no escapes, no look-alikes, no drive or home, nothing that Windows would drop. */
function isPlain(path: string): boolean {
  const segments = path.split('/');
  return (
    path.length > 0 &&
    path.length <= LONGEST_PATH &&
    segments.every((segment) => segment.length <= LONGEST_SEGMENT) &&
    path.isWellFormed() &&
    !UNUSUAL.test(path) &&
    !PERCENT.test(path) &&
    path.normalize('NFC') === path.normalize('NFKC') &&
    !/^\/*(~|[A-Za-z]:)/.test(path) &&
    !segments.some((segment) => segment !== '.' && segment !== '..' && /[. ]$/.test(segment))
  );
}

/** As a careless reader would take it: escapes decoded, look-alikes made plain, invisible characters gone. */
function respelled(path: string): string {
  let text = path;
  for (let round = 0; round < 3 && PERCENT.test(text); round++)
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return text
    .normalize('NFKC')
    .replace(/[\u2044\u2215\u2216\u29F5\u29F8\u29F9\uFE68]/g, '/')
    .replace(/[\p{Cc}\p{Cf}]/gu, (char) => (char === '\0' ? char : ''))
    .split(/[/\\]/)
    .map((segment) => (segment === '.' || segment === '..' ? segment : segment.replace(/(?<=[^. ])[. ]+$/, '')))
    .join('/');
}
