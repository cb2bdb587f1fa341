/** Takes secrets out of text that reaches logs, history or a person: an upstream may echo what it was sent. */

/** None may look at a character more than a few times: texts are long, and whoever writes them may be hostile. */
const PATTERNS: readonly [RegExp, string][] = [
  [/sk-ant-[A-Za-z0-9_-]+/g, '[key]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [key]'],
  [/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi, '$1[key]'],
  [/(\/\/)[^/@\s]+@/g, '$1[credentials]@'],
  [/\b(?:sk|rk)[-_](?:proj-|live_|test_)?[A-Za-z0-9_-]{16,}/g, '[key]'], // OpenAI, Stripe
  [/\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bA[KS]IA[0-9A-Z]{16}\b/g, '[key]'], // GitHub, Slack, AWS
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, '[token]'], // JWT
  [/\b((?:api[-_]?key|access[-_]?token|token|secret|password|passwd|pwd)["']?(?:=|:\s*["'])["']?)[^\s"'&,;}]{4,}/gi, '$1[key]'],
];

/** A text fit to be shown: without what looks like a secret or the password of a URL, and well-formed. */
export function maskSecrets(text: string): string {
  return withoutSecrets(withoutPassword(text)).toWellFormed();
}

/** Of a text that is cut, so many characters are looked at. */
const LOOKED_AT = 32_768;
/** Longer secrets are none that the patterns know. */
const LONGEST_SECRET = 4_096;

/**
 * The beginning of a text, without its secrets. However long it is, little of it is looked at; and where that ends, no secret is cut in half, of
 * which nobody would see that it is one.
 */
export function shortWithoutSecrets(text: string, longest: number, known: readonly (string | undefined)[] = []): string {
  const beginning = text.length <= LOOKED_AT ? text : beginningOf(text, known);
  const told = withoutSecrets(beginning, known);
  return told.length <= longest && beginning.length === text.length ? told : `${told.slice(0, longest)}…`;
}

const BETWEEN_WORDS = /[\s"'<>,;(){}[\]]/;

/** It ends before the word in which it would be cut, unless that is longer than a secret, and before a known secret. */
function beginningOf(text: string, known: readonly (string | undefined)[]): string {
  for (let end = LOOKED_AT; ;) {
    let word = end;
    while (word > LOOKED_AT - LONGEST_SECRET && !BETWEEN_WORDS.test(text[word - 1]!)) word -= 1;
    const before = Math.min(word, ...known.map((secret) => placeAcross(text, secret, word)));
    if (before === end) return text.slice(0, end);
    end = before;
  }
}

/** Where a secret begins that goes on behind this place; the place itself: none does. */
function placeAcross(text: string, secret: string | undefined, end: number): number {
  if (!secret) return end;
  const from = Math.max(0, end - secret.length + 1);
  const at = text.slice(from, end + secret.length - 1).indexOf(secret);
  return at < 0 ? end : from + at;
}

/** @param known literal secrets, e.g. the key in use; shorter than 4 characters are ignored */
export function withoutSecrets(text: string, known: readonly (string | undefined)[] = []): string {
  let out = text;
  for (const secret of known) if (secret !== undefined && secret.length >= 4) out = out.replaceAll(secret, '[key]');
  for (const [pattern, replacement] of PATTERNS) out = out.replace(pattern, replacement);
  return out;
}

/** A URL fit for a screen or a log: `postgres://user:…@host/db`. Text that is no URL comes back unchanged. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, '$1:…@').replace(/([?&](?:ssl)?password=)[^&\s]*/gi, '$1…');
}
