/**
 * Refusals of the gateway in words for people: times in the reader's own time zone, and digests by their beginning, as pages show them.
 * Only for texts of our own programs: what a model, a tool or a person wrote is shown as it is.
 */
import { when } from './format';

const TIME = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})/g;
const DIGEST = /\b([0-9a-f]{12})[0-9a-f]{52}\b/g;

export function refusalInWords(text: string): string {
  return text.replace(TIME, (time) => when(time)).replace(DIGEST, '$1…');
}

/** Why a person is asked, where the engine's own short form says little to somebody who does not know it. */
export function reasonInWords(reason: string): string {
  return /^class destructive always asks$/.test(reason)
    ? 'This tool does things that cannot be taken back: a person is always asked.'
    : reason;
}
