/** Classifies how a call failed, by its error, and words it. */
import type { ResultError } from './tool-result';

export type FailureKind = 'declined' | 'expired' | 'in_doubt' | 'failed';

export function failureKind(error: ResultError): FailureKind {
  const words = `${error.reason} ${error.message}`;
  if (/in[_ -]?doubt|outcome(_| is | )unknown|not known whether/i.test(words)) return 'in_doubt';
  if (/expir/i.test(words)) return 'expired';
  if (error.code === 'CONFIRMATION_REQUIRED' || /\b(denied|declined|refused|rejected)\b|approval_denied/i.test(words))
    return 'declined';
  return 'failed';
}

/** The error's message and hint. */
export function describeError(error: ResultError): string {
  return sentence([error.message, error.hint].filter(Boolean).join(' '));
}

export function sentence(text: string): string {
  return text.replace(/([^.!?])$/, '$1.');
}
