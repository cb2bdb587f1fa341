/** Removes secrets from text that reaches logs, history or a person: an upstream may echo what it received. */

/** No pattern may look at a character more than a few times: texts are long, and their author may be hostile. */
const PATTERNS: readonly [RegExp, string][] = [
  [/sk-ant-[A-Za-z0-9_-]+/g, '[key]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [key]'],
  [/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi, '$1[key]'],
  [/(\/\/)[^/@\s]+@/g, '$1[credentials]@'],
  [/\b(?:sk|rk)[-_](?:proj-|live_|test_)?[A-Za-z0-9_-]{16,}/g, '[key]'], // OpenAI, Stripe
  [/\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bA[KS]IA[0-9A-Z]{16}\b/g, '[key]'], // GitHub, Slack, AWS
  [/(\/v1\/completions\/)[A-Za-z0-9_-]{20,}/g, '$1[token]'], // ctx.later
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, '[token]'], // JWT
  [/\bhft_[\w-]{20,}|\bwhsec_[\w+/=-]{16,}/g, '[key]'], // holdfast, webhooks
  [
    /(?<![A-Za-z0-9])((?:api[-_]?key|access[-_]?key|access[-_]?token|id[-_]?token|token|secret|password|passwd|pwd)["']?(?:=|:\s*["'])["']?)[^\s"'&,;}]{4,}/gi,
    '$1[key]',
  ],
];

/** A text that is safe to show: well-formed, without the password of a URL and without what looks like a secret. */
export function maskSecrets(text: string): string {
  return withoutSecrets(withoutPassword(text)).toWellFormed();
}

/** Of a longer text, only this many characters are examined. */
const LOOKED_AT = 32_768;
/** No secret that the patterns know is longer. */
const LONGEST_SECRET = 4_096;

/**
 * The beginning of a text, without its secrets. However long the text is, only a bounded part is examined. That part does not end
 * inside a secret, because half a secret would not be recognized.
 */
export function shortWithoutSecrets(text: string, longest: number, secrets: readonly (string | undefined)[] = []): string {
  const beginning = text.length <= LOOKED_AT ? text : beginningOf(text, secrets);
  const safeText = withoutSecrets(beginning, secrets);
  return safeText.length <= longest && beginning.length === text.length ? safeText : `${safeText.slice(0, longest)}…`;
}

const BETWEEN_WORDS = /[\s"'<>,;(){}[\]]/;

/** Ends before the word that would be cut, unless the word is longer than a secret, and before a known secret. */
function beginningOf(text: string, secrets: readonly (string | undefined)[]): string {
  for (let end = LOOKED_AT; ;) {
    let word = end;
    while (word > LOOKED_AT - LONGEST_SECRET && !BETWEEN_WORDS.test(text[word - 1]!)) word -= 1;
    const before = Math.min(word, ...secrets.map((secret) => placeAcross(text, secret, word)));
    if (before === end) return text.slice(0, end);
    end = before;
  }
}

/** Where a known secret begins that crosses `end`; without one, `end`. */
function placeAcross(text: string, secret: string | undefined, end: number): number {
  if (!secret) return end;
  const from = Math.max(0, end - secret.length + 1);
  const at = text.slice(from, end + secret.length - 1).indexOf(secret);
  return at < 0 ? end : from + at;
}

/** @param secrets literal secrets, e.g. the key in use; shorter than 4 characters are ignored */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[] = []): string {
  let out = text;
  for (const secret of secrets) if (secret !== undefined && secret.length >= 4) out = out.replaceAll(secret, '[key]');
  for (const [pattern, replacement] of PATTERNS) out = out.replace(pattern, replacement);
  return out;
}

/** Shorter values are not treated as secrets: removing them would garble texts. */
const SHORTEST_SECRET = 8;

/** What to remove from texts, longest first: values and their words, since in `Bearer x`, `x` is a secret too. */
export function secretsIn(values: readonly string[]): string[] {
  const words = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...new Set(words)].filter((word) => word.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
}

/** A URL for a screen or a log, without its password: `postgres://user:…@host/db`. Text that is not a URL comes back unchanged. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, '$1:…@').replace(/([?&](?:ssl)?password=)[^&\s]*/gi, '$1…');
}
