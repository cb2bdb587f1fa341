/**
 * Checks and reads URIs with variables, `invoice://{customer}/{id}`: only the simple expressions of RFC 6570. A variable is one
 * segment, so a URI has one reading, which is found in one pass, and no variable leads out of the folder that an app's author joins
 * it to.
 */

/** Most characters of a URI or a template. */
export const MOST_URI = 2000;

const SCHEME = /^[a-z][a-z0-9+.-]{0,30}:/;
const VARIABLE = /\{([A-Za-z_][A-Za-z0-9_]{0,63})\}/;
const URI = /^[\x21-\x7e]+$/;

/** Faults of a URI that an app offers. */
export function uriFaults(uri: unknown): string[] {
  if (typeof uri !== 'string' || uri.length > MOST_URI || !SCHEME.test(uri) || !URI.test(uri))
    return [
      `must be a URI of at most ${MOST_URI} printable ASCII characters with a scheme in lower case, such as handbook://terms`,
    ];
  return uri.startsWith('holdfast:') ? ['has the scheme holdfast, which files of results have'] : [];
}

/** Faults of a template that an app offers. */
export function uriTemplateFaults(template: unknown): string[] {
  const faults = uriFaults(template);
  if (faults.length > 0) return faults;
  const { literals, names } = parts(template as string);
  if (names.length === 0) return ['has no variable such as {id}; a resource without one has a uri'];
  if (!SCHEME.test(literals[0]!)) return ['has a variable in its scheme'];
  if (literals.some((literal) => /[{}]/.test(literal))) return ['has braces that are no variable such as {id}'];
  if (new Set(names).size < names.length) return ['has one variable twice'];
  if (literals.slice(1, -1).some((literal) => !literal.includes('/'))) return ['needs a / between two variables'];
  return [];
}

/** The names of the template's variables. */
export function variablesOf(template: string): string[] {
  return parts(template).names;
}

const NOT_IN_A_VARIABLE = /[\x00-\x1f\x7f/\\]/;

/** @returns the variables of a URI that fits the template; null: it does not fit, or a value is not one path segment */
export function readUri(template: string, uri: string): Record<string, string> | null {
  if (uri.length > MOST_URI) return null;
  const { literals, names } = parts(template);
  const pattern = literals.map((literal) => literal.replace(/[^A-Za-z0-9]/g, '\\$&')).join('([^/?#]+)');
  const match = new RegExp(`^${pattern}$`).exec(uri);
  if (!match) return null;
  const values = match.slice(1).map(decodeOrNull);
  if (!values.every((value) => value !== null && value !== '.' && value !== '..' && !NOT_IN_A_VARIABLE.test(value))) return null;
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
}

function parts(template: string): { literals: string[]; names: string[] } {
  const split = template.split(VARIABLE);
  return { literals: split.filter((_, index) => index % 2 === 0), names: split.filter((_, index) => index % 2 === 1) };
}

function decodeOrNull(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
