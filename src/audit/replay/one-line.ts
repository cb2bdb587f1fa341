/** Cuts text of a history to one line for a terminal. */
import { visible } from '../../shared/text/visible';

/** One line, with invisible characters made visible, of at most `length` characters. */
export function oneLine(text: string, length = 120): string {
  const line = visible(text.slice(0, 8 * length))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
