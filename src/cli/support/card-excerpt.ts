/** Cuts the card of a call for the terminal. */
import { cardLines } from '../../client/approvals/cards';

const MOST_LINES = 16;

/** The part of a card that says what the call will do, for a terminal: without the parts for the Web UI, and cut. */
export function cardExcerpt(card: string): string[] {
  const lines = cardLines(card);
  const rest = lines.length - MOST_LINES;
  return rest <= 0
    ? lines
    : [...lines.slice(0, MOST_LINES), `… ${rest} more lines: read all of it with \`holdfast pending --watch\` before you decide`];
}
