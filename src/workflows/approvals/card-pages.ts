/**
 * Answers the query for the cards of waiting calls, a page at a time: all cards together can exceed the size limit of a query
 * answer, and of the Web UI's page of a turn. The client names the calls, so no card is left out if some calls are decided
 * meanwhile.
 */
import { defineQuery, setHandler } from '@temporalio/workflow';
import { jsonBytes } from '../../shared/json/json';
import { CARDS_QUERY, type CardPage } from '../contract';
import type { ApprovalQuestions } from './approval-questions';
import type { TurnData } from '../turn/state';
import { surfacedQuestions } from '../sub-agents/sub-turns';
import { cardNow } from '../turn/publish-turn-state';

/** A query answer may have 2 MB. */
const PAGE_BYTES = 1_000_000;
const LARGEST_CARD = 1_800_000;

export function answerCards(data: TurnData, questions: Pick<ApprovalQuestions, 'open'>): void {
  const page = (digests: unknown) => cardPage(data, questions, digests);
  setHandler(defineQuery<CardPage, [unknown]>(CARDS_QUERY), page, {
    description: 'The cards of calls that wait: takes a list of digests, answers with as many cards as fit.',
  });
}

/** @param digests a list of digests; any other value names no call */
export function cardPage(data: TurnData, questions: Pick<ApprovalQuestions, 'open'>, digests: unknown): CardPage {
  const waiting = new Map<unknown, () => string>([
    ...surfacedQuestions(data).map(({ call, card }) => [call.digest, () => card] as const),
    ...questions.open().map((question) => [question.digest, () => cardNow(question)] as const),
  ]);
  const cards: CardPage['cards'] = [];
  let room = PAGE_BYTES;
  let read = 0;
  for (const digest of Array.isArray(digests) ? (digests as unknown[]) : []) {
    const card = waiting.get(digest)?.() ?? '';
    const bytes = jsonBytes(card);
    if (card !== '' && bytes <= LARGEST_CARD) {
      room -= bytes;
      if (room < 0 && cards.length > 0) break;
      cards.push({ digest: String(digest), card });
    }
    read += 1;
  }
  return { cards, read };
}
