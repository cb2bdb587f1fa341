/** Reads cards from their Markdown: out of the Web UI's Current Details, whole or cut, and as lines for a terminal. */
import { TRUNCATION_MARK, wholeCard } from '../../cards/card';
import type { Card } from '../../shapes/card';
import { visible } from '../../shared/text/visible';

/** Splits Current Details at the rules between cards. A rule inside a fence is part of somebody's text. */
export function cardsIn(details: string): string[] {
  const cards: string[][] = [[]];
  for (const { line, ours } of linesOf(details)) {
    if (ours && line === '---') cards.push([]);
    else cards.at(-1)!.push(line);
  }
  return cards.map((lines) => lines.join('\n').trim());
}

/** The parent turn's text for a sub-agent's call whose card it does not have (workflows/turn/publish-turn-state.ts). */
const NOT_SHOWN = 'Its card is not shown here';

function isShown(card: string): boolean {
  return !linesOf(card).some(({ line, ours }) => ours && line.startsWith(NOT_SHOWN));
}

/** Whether a text of the card is cut. */
export function isCardCut(card: string): boolean {
  return linesOf(card).some(({ line, ours }) => ours && line.startsWith(TRUNCATION_MARK));
}

interface Line {
  line: string;
  /** The line is outside of fences: text that others wrote into a card is inside of them. */
  ours: boolean;
}

function linesOf(markdown: string): Line[] {
  let fence: string | null = null;
  return markdown.split('\n').map((line) => {
    const ticks = /^`{3,}/.exec(line)?.[0] ?? null;
    const ours = fence === null && ticks === null;
    if (fence === null) fence = ticks;
    else if (line === fence) fence = null;
    return { line, ours };
  });
}

/** Cards by the digest of their call; a digest whose card is not shown is left out. */
export function cardsByDigest(details: string, pending: readonly string[]): Map<string, string> {
  const cards = cardsIn(details);
  const pairs = pending.map((digest, index) => [digest, cards[index] ?? ''] as const);
  return new Map(pairs.filter(([digest, card]) => card.includes(digest) && isShown(card)));
}

// Formats a card as lines of plain text.

/** The whole card: from its facts, or from the Web UI's text if facts are missing. */
export function linesOfCard(card: Card): string[] {
  return cardLines(wholeCard(card) ?? card.markdown);
}

/** Without the parts that only the Web UI needs. */
export function cardLines(card: string): string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  let isShown = true;
  for (const line of visible(card).split('\n')) {
    const ticks = /^`{3,}/.exec(line)?.[0] ?? null;
    if (fence !== null) {
      if (line === fence) fence = null;
      else if (isShown) lines.push(`  ${line}`);
      continue;
    }
    if (ticks !== null) {
      fence = ticks;
      continue;
    }
    if (line.startsWith('### ')) isShown = line !== '### Decide' && line !== '### Answer';
    // Leaves out the text to paste for a settlement: the command is shown below.
    if (line.startsWith('Look at the other side')) isShown = false;
    if (isShown && line.trim() !== '' && !line.startsWith('## ')) lines.push(line.replace(/^### /, ''));
  }
  return lines;
}
