/** Queries the cards of a turn's workflow in pages: the Web UI's Current Details have room for few. */
import { QueryNotRegisteredError } from '@temporalio/client';
import type { CardPage } from '../../workflows/contract';

/** Digests in one query, 67 bytes each. */
const MOST_DIGESTS = 1000;

/** Queries page after page. Null: a worker of an older build has no such query. */
export async function cardsInPages(
  digests: readonly string[],
  page: (digests: string[]) => Promise<CardPage>,
): Promise<CardPage['cards'] | null> {
  const cards: CardPage['cards'] = [];
  try {
    for (let from = 0, read = 1; from < digests.length && read > 0; from += read) {
      const answer = await page(digests.slice(from, from + MOST_DIGESTS));
      cards.push(...answer.cards);
      read = answer.read;
    }
  } catch (error) {
    if (error instanceof QueryNotRegisteredError) return null;
    throw error;
  }
  return cards;
}
