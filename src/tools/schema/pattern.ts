/**
 * Patterns of schemas meet text that a model wrote, and a RegExp that backtracks may hang on it for hours (`^(a+)+$`).
 * So they run in RE2, whose time grows with the text and no faster, with the meaning that JavaScript gives them under
 * the u flag. A match costs microseconds; a compilation up to half a millisecond, so it waits for the first match.
 */
import { RE2JS } from 're2js';

/** JavaScript's white space and what is none (ECMA-262, CharacterClassEscape); RE2's `\s` knows six characters. */
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
/** One character, written as its two surrogates. */
const PAIR = '\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}';
const PROPERTY = '\\\\[pP]\\{[^}]*\\}';
const ELEMENT = new RegExp(`${PAIR}|${PROPERTY}|\\\\[^]|\\[(?:\\\\[^]|[^\\]\\\\])*\\]|\\.`, 'gu');
const IN_CLASS = new RegExp(`${PAIR}|${PROPERTY}|\\\\[^]|\\[`, 'gu');

/** Instructions of RE2 for a pattern from elsewhere: each may be tried at each character. */
const LARGEST = 10_000;

export interface Matcher {
  test(text: string): boolean;
  toString(): string;
}

/**
 * The matcher of a pattern. What RE2 cannot express (look-around, back-references, counts above 1000) runs as a RegExp,
 * which only a tool's own author may ask for. A schema from elsewhere is asked with {@link isLinear} first.
 * @throws SyntaxError for what is no pattern under the u flag
 */
export function matcherOf(pattern: string): Matcher {
  const expression = new RegExp(pattern, 'u');
  let matcher: Matcher | undefined;
  return {
    test: (text) => (matcher ??= linearMatcher(expression) ?? expression).test(text),
    toString: () => String(expression), // ajv tells patterns apart by their text
  };
}

/** Can RE2 match the pattern, in fewer than 10,000 instructions? False also for what is no pattern. */
export function isLinear(pattern: string): boolean {
  try {
    const matcher = linearMatcher(new RegExp(pattern, 'u'));
    return matcher !== null && matcher.programSize() <= LARGEST;
  } catch {
    return false;
  }
}

/** Steps that a match takes for each character, at most; `Infinity` for what RE2 cannot run. */
export function programSize(pattern: string): number {
  try {
    return linearMatcher(new RegExp(pattern, 'u'))?.programSize() ?? Infinity;
  } catch {
    return Infinity;
  }
}

/** The same in RE2; null where it has no words for it: look-around, back-references, counts above 1000. */
export function linearMatcher(expression: RegExp): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(expression.source.replace(ELEMENT, asRe2)));
  } catch {
    return null;
  }
}

/** Only what RE2 reads otherwise than JavaScript. */
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

/** `[` has no meaning of its own in a class of JavaScript's; RE2 would read `[:alpha:]`. */
function inClass(part: string): string {
  if (part === '\\s') return SPACE;
  if (part === '\\S') return NO_SPACE;
  if (part === '\\b') return '\\x08';
  return part === '[' ? '\\[' : rewritePart(part);
}

/** General categories by their long names, of which RE2 knows the short ones. */
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

/** A property, or a pair of surrogates as the one character that it stands for. */
function rewritePart(part: string): string {
  const property = /^(\\[pP])\{(?:General_Category=|gc=|Script=)?(\w+)\}$/.exec(part);
  if (property) return `${property[1]}{${CATEGORIES.get(property[2]!) ?? property[2]}}`;
  const pair = /^\\u(.{4})\\u(.{4})$/.exec(part);
  if (!pair) return part;
  const [high, low] = [pair[1]!, pair[2]!].map((hex) => Number.parseInt(hex, 16));
  return `\\x{${String.fromCharCode(high!, low!).codePointAt(0)!.toString(16)}}`;
}
