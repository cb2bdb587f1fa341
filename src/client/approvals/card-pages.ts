/** The cards of a turn, asked of its workflow in pages: the Web UI's Current Details have no room for many. */
import { QueryNotRegisteredError } from '@temporalio/client';
import type { CardPage } from '../../workflows/contract';

/** Digests of one question: 67 bytes each. */
const MOST_DIGESTS = 1000;

/** Asks for page after page. A worker of an older build has none to give. */
export async function cardsInPages(
  digests: readonly string[],
  page: (digests: string[]) => Promise<CardPage>,
): Promise<CardPage['cards']> {
  const cards: CardPage['cards'] = [];
  try {
    for (let from = 0, read = 1; from < digests.length && read > 0; from += read) {
      const answer = await page(digests.slice(from, from + MOST_DIGESTS));
      cards.push(...answer.cards);
      read = answer.read;
    }
  } catch (error) {
    if (!(error instanceof QueryNotRegisteredError)) throw error;
  }
  return cards;
}
