/**
 * Compiles glob patterns: picomatch parses them, RE2 matches with them. Picomatch's own expressions backtrack, and a pattern of a
 * few stars can keep one busy for minutes; RE2's time is proportional to the path's length.
 */
import picomatch from 'picomatch';
import { RE2JS } from 're2js';
import { type CheckFault, visible } from 'holdfast/tools';

export const LONGEST_PATTERN = 300;
const LARGEST_PROGRAM = 5000;

/** Picomatch's guards against `.`, `..` and empty names, which a walk never yields. They are removed: RE2 has no look-ahead. */
const GUARDS = [
  '(?!(?:^|\\/)\\.{1,2}(?:\\/|$))',
  '(?!(?:\\/|^)\\.{1,2}(?:\\/|$))',
  '(?!\\.{1,2}(?:\\/|$))',
  '(?!\\.{0,1}(?:\\/|$))',
  '(?=.)',
];

/** Tells whether a path, written without a leading slash, matches. */
export type PathMatcher = (path: string) => boolean;

/** @throws Error with a text for the model */
export function globMatcher(pattern: string): PathMatcher {
  const fault = patternFault(pattern);
  if (fault) throw new Error(fault);
  const compiled = picomatch.makeRe(pattern.replace(/^\/+/, ''), {
    dot: true,
    nonegate: true,
    fastpaths: false,
    posix: true,
    strictBrackets: true,
    maxLength: LONGEST_PATTERN,
  });
  const source = GUARDS.reduce((text, guard) => text.replaceAll(guard, ''), compiled.source);
  const expression = RE2JS.compile(source, RE2JS.DOTALL);
  if (expression.programSize() > LARGEST_PROGRAM) throw new Error('it is too large');
  return (path) => expression.matches(path);
}

/** The fault of a field with a glob pattern, for a tool's check. */
export function globFault(field: string, pattern: string | undefined): CheckFault | undefined {
  if (pattern === undefined) return undefined;
  try {
    globMatcher(pattern);
    return undefined;
  } catch (error) {
    return {
      reason: 'bad_pattern',
      message: `${field} ${JSON.stringify(visible(pattern.slice(0, 200)))} cannot be used: ${(error as Error).message.slice(0, 200)}.`,
      hint: 'Use * ? ** [abc] {a,b}, from the workspace root, e.g. src/**/*.{ts,js}. No "..", no backslash, no !(…).',
    };
  }
}

function patternFault(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `it is longer than ${LONGEST_PATTERN} characters`;
  if (/\p{Cc}/u.test(pattern) || visible(pattern) !== pattern) return 'it holds a control character or an invisible one';
  if (pattern.includes('\\')) return 'it holds a backslash';
  if (pattern.split('/').includes('..')) return '.. is not followed';
  if (pattern.startsWith('~')) return '~ is not expanded';
  return undefined;
}
