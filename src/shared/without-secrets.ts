/** Takes secrets out of text that reaches logs, history or a person: an upstream may echo what it was sent. */
import { withoutPassword } from './without-password';

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
export function masked(text: string): string {
  return withoutSecrets(withoutPassword(text)).toWellFormed();
}

/** @param known literal secrets, e.g. the key in use; shorter than 4 characters are ignored */
export function withoutSecrets(text: string, known: readonly (string | undefined)[] = []): string {
  let out = text;
  for (const secret of known) if (secret !== undefined && secret.length >= 4) out = out.replaceAll(secret, '[key]');
  for (const [pattern, replacement] of PATTERNS) out = out.replace(pattern, replacement);
  return out;
}
