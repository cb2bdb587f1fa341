/** The card of a call for the terminal: whole for people who decide there, or its first lines in a list. */
import { nameOfVote } from '../../shared/approval/approval';
import { linesOfCard } from '../../client/approvals/cards';
import type { Card } from '../../shapes/card';
import type { Question } from '../../shapes/turn-view';
import { oneLine } from './describe';

const MOST_LINES = 16;

/** The whole card, and what people have said so far. */
export function questionLines({ card, approval }: Question): string[] {
  return [...linesOfCard(card), ...decisionLines(card, approval.decisions)];
}

/** The same, cut after the first lines: what will happen, and in whose words. */
export function questionExcerpt({ card, approval }: Question): string[] {
  return [...cardExcerpt(card), ...decisionLines(card, approval.decisions)];
}

/** The part of a card that says what the call will do: without the parts for the Web UI, and cut. */
export function cardExcerpt(card: Card): string[] {
  const lines = linesOfCard(card);
  const rest = lines.length - MOST_LINES;
  return rest <= 0
    ? lines
    : [...lines.slice(0, MOST_LINES), `… ${rest} more lines: read all of it with \`holdfast pending --watch\` before you decide`];
}

/** Who has decided so far, and why decisions were ignored. */
function decisionLines({ remarks = [] }: Card, decisions: Question['approval']['decisions']): string[] {
  const lines = decisions.map((one) => {
    const { decision, at, note, attested } = one;
    const words = note === null ? '' : `: ${oneLine(note, 300)}`;
    return `- ${decision} by ${oneLine(nameOfVote(one), 120)}${attested ? ', signed' : ''}, at ${at}${words}`;
  });
  const ignored = remarks.map((text) => `- ignored: ${oneLine(text, 300)}`);
  return lines.length + ignored.length === 0 ? [] : ['Decisions so far', ...lines, ...ignored];
}
