/**
 * Matches the patterns of schemas with RE2. The text comes from a model, and a backtracking RegExp could take hours for it
 * (`^(a+)+$`); the time of RE2 is linear in the text. Patterns keep the meaning that JavaScript gives them under the u flag.
 * A match takes microseconds; a compilation takes up to half a millisecond, so it is done at the first match.
 */
import type { RE2JS } from 're2js';

// oxlint-disable-next-line typescript/no-require-imports -- many tools have no pattern; a schema is compiled without waiting
const re2 = () => (require('re2js') as typeof import('re2js')).RE2JS;

/** The characters of JavaScript's `\s`, and those of `\S` (ECMA-262, CharacterClassEscape); RE2's `\s` has only a few of them. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
/** One character, written as a surrogate pair. */
const PAIR = '\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}';
const PROPERTY = '\\\\[pP]\\{[^}]*\\}';
const ELEMENT = new RegExp(`${PAIR}|${PROPERTY}|\\\\[^]|\\[(?:\\\\[^]|[^\\]\\\\])*\\]|\\.`, 'gu');
const IN_CLASS = new RegExp(`${PAIR}|${PROPERTY}|\\\\[^]|\\[`, 'gu');

/** Most RE2 instructions of a pattern from another program: each may be tried at each character. */
const LARGEST = 10_000;

export interface Matcher {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Makes the matcher of a pattern. A pattern that RE2 cannot express (look-around, back-references, counts above 1000) runs as a
 * RegExp. Only a tool's own author may use such patterns; those of other programs must pass {@link isLinear} first.
 * @throws SyntaxError for a pattern that is invalid under the u flag
 */
export function matcherOf(pattern: string): Matcher {
  const expression = new RegExp(pattern, 'u');
  let matcher: Matcher | undefined;
  return {
    test: (text) => (matcher ??= linearMatcher(expression) ?? expression).test(text),
    toString: () => String(expression), // ajv tells patterns apart by their text
  };
}

/** True if RE2 can match the pattern with at most 10,000 instructions. False also for an invalid pattern. */
export function isLinear(pattern: string): boolean {
  try {
    const matcher = linearMatcher(new RegExp(pattern, 'u'));
    return matcher !== null && matcher.programSize() <= LARGEST;
  } catch {
    return false;
  }
}

/** Maximum number of steps that a match takes for each character; `Infinity` for a pattern that RE2 cannot run. */
export function programSize(pattern: string): number {
  try {
    return linearMatcher(new RegExp(pattern, 'u'))?.programSize() ?? Infinity;
  } catch {
    return Infinity;
  }
}

/** The expression compiled for RE2; null where RE2 cannot express it: look-around, back-references, counts above 1000. */
export function linearMatcher(expression: RegExp): RE2JS | null {
  try {
    const compiler = re2();
    return compiler.compile(compiler.translateRegExp(expression.source.replace(ELEMENT, asRe2)));
  } catch {
    return null;
  }
}

/** Rewrites an element that RE2 reads differently from JavaScript. */
function asRe2(element: string): string {
  if (element === '\\k') throw new Error('RE2JS would read a back-reference by name as a letter.');
  if (element === '\\s') return `[${SPACE}]`;
  if (element === '\\S') return `[${NO_SPACE}]`;
  if (element === '.') return '[^\\n\\r\\x{2028}\\x{2029}]';
  if (element === '[]') return '[^\\x{0}-\\x{10ffff}]';
  if (element === '[^]') return '[\\x{0}-\\x{10ffff}]';
  if (element.startsWith('[')) return `[${element.slice(1, -1).replace(IN_CLASS, inClass)}]`;
  return rewritePart(element);
}

/** Rewrites a part of a character class. `[` is a plain character there in JavaScript; RE2 would read `[:alpha:]`. */
function inClass(part: string): string {
  if (part === '\\s') return SPACE;
  if (part === '\\S') return NO_SPACE;
  if (part === '\\b') return '\\x08';
  return part === '[' ? '\\[' : rewritePart(part);
}

/** Long name of a general category → its short name; RE2 knows only the short ones. */
const CATEGORIES = new Map(
  (
    'L Letter|Lu Uppercase_Letter|Ll Lowercase_Letter|Lt Titlecase_Letter|Lm Modifier_Letter|Lo Other_Letter|' +
    'M Mark|M Combining_Mark|Mn Nonspacing_Mark|Mc Spacing_Mark|Me Enclosing_Mark|' +
    'N Number|Nd Decimal_Number|Nd digit|Nl Letter_Number|No Other_Number|' +
    'P Punctuation|P punct|Pc Connector_Punctuation|Pd Dash_Punctuation|Ps Open_Punctuation|Pe Close_Punctuation|' +
    'Pi Initial_Punctuation|Pf Final_Punctuation|Po Other_Punctuation|' +
    'S Symbol|Sm Math_Symbol|Sc Currency_Symbol|Sk Modifier_Symbol|So Other_Symbol|' +
    'Z Separator|Zs Space_Separator|Zl Line_Separator|Zp Paragraph_Separator|Cc Control|Cc cntrl|Cf Format|Co Private_Use'
  )
    .split('|')
    .map((pair): [string, string] => pair.split(' ').reverse() as [string, string]),
);

/** Rewrites a property, or a surrogate pair as its one character; other parts stay unchanged. */
function rewritePart(part: string): string {
  const property = /^(\\[pP])\{(?:General_Category=|gc=|Script=)?(\w+)\}$/.exec(part);
  if (property) return `${property[1]}{${CATEGORIES.get(property[2]!) ?? property[2]}}`;
  const pair = /^\\u(.{4})\\u(.{4})$/.exec(part);
  if (!pair) return part;
  const [high, low] = [pair[1]!, pair[2]!].map((hex) => Number.parseInt(hex, 16));
  return `\\x{${String.fromCharCode(high!, low!).codePointAt(0)!.toString(16)}}`;
}
