import { visible } from '../../shared/text/visible';

/** Text of a history for a terminal: one line, nothing unseen in it, at most `length` characters. */
export function oneLine(text: string, length = 120): string {
  const line = visible(text.slice(0, 8 * length))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
