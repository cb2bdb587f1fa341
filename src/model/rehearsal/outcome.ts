/** What became of a call that a person had to decide on and that did not succeed, and the words for it. */
import type { ResultError } from './tool-result';

export type End = 'declined' | 'expired' | 'in_doubt' | 'failed';

export function outcomeOf(error: ResultError): End {
  const words = `${error.reason} ${error.message}`;
  if (/in[_ -]?doubt|outcome(_| is | )unknown|not known whether/i.test(words)) return 'in_doubt';
  if (/expir/i.test(words)) return 'expired';
  if (error.code === 'CONFIRMATION_REQUIRED' || /\b(denied|declined|refused|rejected)\b|approval_denied/i.test(words))
    return 'declined';
  return 'failed';
}

/** What the error says, and what it advises. */
export function describeError(error: ResultError): string {
  return sentence([error.message, error.hint].filter(Boolean).join(' '));
}

export function sentence(text: string): string {
  return text.replace(/([^.!?])$/, '$1.');
}
