/**
 * The card object in a message, such as a webhook. A message has a limited size; a field is never cut, since a reader could take the
 * part for the whole: the longest fields are left out, and `incomplete` names them.
 */
import type { MessageCard } from './card';

/** Characters of JSON. With the Markdown beside it a webhook stays below 32 KB, unless the text is not ASCII. */
const MOST = 12_000;

const MAY_BE_LEFT_OUT = ['input', 'will_happen', 'words', 'held', 'changes', 'acts_on', 'evidence', 'makers', 'remarks'] as const;
type Optional = (typeof MAY_BE_LEFT_OUT)[number];

export function boundedCard(card: MessageCard): MessageCard {
  const bounded = { ...card };
  const leftOut: string[] = [];
  while (JSON.stringify(bounded).length > MOST) {
    const name = longestOf(bounded);
    if (name === null) break;
    leftOut.push(`${name} (${lengthOf(bounded, name)} characters)`);
    delete bounded[name];
    bounded.incomplete = `Too long for a message: ${leftOut.join(', ')}. The page and GET /v1/turns/:id have all of it.`;
  }
  return card.incomplete === undefined || leftOut.length === 0
    ? bounded
    : { ...bounded, incomplete: `${card.incomplete} ${bounded.incomplete}` };
}

function longestOf(card: MessageCard): Optional | null {
  const present = MAY_BE_LEFT_OUT.filter((name) => card[name] !== undefined);
  return present.sort((a, b) => lengthOf(card, b) - lengthOf(card, a))[0] ?? null;
}

function lengthOf(card: MessageCard, name: Optional): number {
  return JSON.stringify(card[name] ?? null).length;
}
