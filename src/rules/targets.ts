/**
 * Matches what a call acts on, commands and paths, with the patterns of rules.
 *
 * Command patterns such as `git status*`. An allow rule matches a command only if a shell would do nothing with it but split it
 * at spaces. Ask and deny rules look at each command of a line, in any spelling; they are a help, not the defence: a command can
 * be hidden from them. See docs/permissions.md.
 */
import picomatch from 'picomatch';
import { matchesWildcard } from './text-pattern';

const LONGEST = 4096;
/** No quote, glob, variable, redirection, separator, comment or line break. */
const PLAIN = /^[A-Za-z0-9 _./:=@,+%-]+$/;

export function allowsCommand(pattern: string): (command: string) => boolean {
  return (command) =>
    command.length <= LONGEST &&
    PLAIN.test(command) &&
    matchesWildcard(pattern, command) &&
    (!climbs(command) || !pattern.includes('*')); // what * matches must not leave the folder in front of it
}

function climbs(command: string): boolean {
  return command.split(/[ /=:,]/).includes('..');
}

export function forbidsCommand(pattern: string): (command: string) => boolean {
  const loose = pattern.replace(/\s+/g, ' ').trim().toLowerCase();
  return (command) => command.length > LONGEST || readings(command).some((reading) => matchesWildcard(loose, reading));
}

/** Roughly: where a shell begins another command, ignoring quotes. */
export function simpleCommands(command: string): string[] {
  return command.split(/[;&|\r\n(){}`<>]|\$\(/);
}

/** The whole line, and each command in it: as written, and without the programs that run it. */
function readings(command: string): string[] {
  const plain = command.normalize('NFKC').replace(/\$\{?IFS\}?|\\\r?\n/g, ' ');
  return [plain, ...simpleCommands(plain)].flatMap((part) => {
    const words = stripQuoting(part).split(' ');
    const starts = runsAnother(words[0]!) ? Math.min(words.length, MOST_STARTS) : 1;
    return Array.from({ length: starts }, (_, start) => words.slice(start)).flatMap(([name = '', ...rest]) => [
      [name, ...rest].join(' '),
      [baseName(name), ...rest].join(' '),
    ]);
  });
}

/** `"r"m`, `r\m`, `$'rm'` and `RM` are all read as `rm`. */
function stripQuoting(part: string): string {
  return part
    .replace(/["'\\$]/g, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** After `sudo -u root -- env A=1`, the command may begin at any of this many words. */
const MOST_STARTS = 16;
const RUNNERS = new Set(
  'sudo doas env nohup nice ionice time timeout command exec eval builtin xargs stdbuf setsid busybox sh bash then do else if while !'.split(
    ' ',
  ),
);

function runsAnother(word: string): boolean {
  return RUNNERS.has(baseName(word)) || /^[a-z_][a-z0-9_]*=/.test(word);
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

// Path patterns such as `/src/**`. A path is untrusted text, which the two sides read with opposite suspicion. An allow rule
// matches only a path that can be read in one way; ask and deny rules match every reading that a file system might use.

const LONGEST_PATH = 1024;
const LONGEST_SEGMENT = 255;
/** With more than these, matching could take long on a crafted path. */
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

/** Exactly as written; `*` matches no hidden file: an allow rule has to name `.git` or `.env`. */
export function allowsPath(pattern: string): (path: string) => boolean {
  const matches = picomatch(rootPattern(pattern), { ...COMMON, dot: false });
  return (path) => {
    if (!isPlain(path)) return false;
    const normal = normalise(path);
    return normal !== null && matches(normal);
  };
}

/** In any case and spelling, hidden files too; a path that leaves the root, or is invalid or too long, matches every pattern. */
export function forbidsPath(pattern: string): (path: string) => boolean {
  const matches = picomatch(rootPattern(pattern), { ...COMMON, dot: true, nocase: true });
  return (path) => {
    if (path.length > LONGEST_PATH) return true;
    return [path, looseSpelling(path)].some((reading) => {
      const normal = normalise(reading.replaceAll('\\', '/'));
      return normal === null || matches(normal) || matches(`${normal}/`);
    });
  };
}

function rootPattern(pattern: string): string {
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

/** Control, format and unassigned characters, spaces other than the plain space, and characters that look like a slash. */
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

/** The path as a tolerant reader would take it: escapes decoded, look-alikes replaced, invisible characters removed. */
function looseSpelling(path: string): string {
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
