/** Takes secrets out of text that reaches logs, history or a person: an upstream may echo what it was sent. */

const PATTERNS: readonly [RegExp, string][] = [
  [/sk-ant-[A-Za-z0-9_-]+/g, '[key]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [key]'],
  [/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]{6,}/gi, '$1[key]'],
  [/(\/\/)[^/@\s]+@/g, '$1[credentials]@'],
];

/** @param known literal secrets, e.g. the key in use; shorter than 4 characters are ignored */
export function withoutSecrets(text: string, known: readonly (string | undefined)[] = []): string {
  let out = text;
  for (const secret of known) if (secret !== undefined && secret.length >= 4) out = out.replaceAll(secret, '[key]');
  for (const [pattern, replacement] of PATTERNS) out = out.replace(pattern, replacement);
  return out;
}
