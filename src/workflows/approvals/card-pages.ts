/**
 * Answers the query for the cards of waiting calls, a page at a time: all cards together can exceed the size limit of a query
 * answer, and of the Web UI's page of a turn. The client names the calls, so no card is left out if some calls are decided
 * meanwhile.
 */
import { defineQuery, setHandler } from '@temporalio/workflow';
import type { CardState } from '../../cards/card';
import { jsonBytes } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { CARDS_QUERY, type CardPage } from '../contract';
import type { ApprovalQuestions } from './approval-questions';
import type { Question } from './question';
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
  const waiting = new Map<unknown, () => { card: string; state?: CardState }>([
    ...surfacedQuestions(data).map(({ call, card }) => [call.digest, () => ({ card })] as const),
    ...questions
      .open()
      .map(
        (question) =>
          [question.digest, () => ({ card: cardNow(question), ...optional({ state: stateOf(data, question) }) })] as const,
      ),
  ]);
  const cards: CardPage['cards'] = [];
  let room = PAGE_BYTES;
  let read = 0;
  for (const digest of Array.isArray(digests) ? (digests as unknown[]) : []) {
    const entry = waiting.get(digest)?.();
    const bytes = entry === undefined ? 0 : jsonBytes(entry.card) + jsonBytes(entry.state ?? null);
    if (entry !== undefined && entry.card !== '' && bytes <= LARGEST_CARD) {
      room -= bytes;
      if (room < 0 && cards.length > 0) break;
      cards.push({ digest: String(digest), ...entry });
    }
    read += 1;
  }
  return { cards, read };
}

function askedAtOf(question: Question, policy: TurnData['policy']): number | null {
  if (question.kind === 'question') return Date.parse(question.asked_at);
  return question.kind === 'approval' && policy ? Date.parse(question.expires_at) - policy.approval_expiry_ms : null;
}

/** The part of the card that only the turn knows. Undefined: the call is not among those of the open step. */
function stateOf({ open, policy }: TurnData, question: Question): CardState | undefined {
  const call = open?.calls.find(({ id }) => id === question.call_id);
  if (call === undefined) return undefined;
  const { channel, quorum, roles, four_eyes, entry } = question.policy;
  const escalations = question.kind === 'approval' ? question.escalations : undefined;
  const askedAt = askedAtOf(question, policy);
  return {
    reason: call.reason,
    changes: (call.changes ?? []).map(({ hook, why, by = hook }) => ({ by, why })),
    untrusted: call.untrusted ?? false,
    ...optional({ evidence: question.kind === 'doubt' ? question.evidence : undefined }),
    asked_at: askedAt === null ? null : new Date(askedAt).toISOString(),
    policy: { channel, quorum, roles, four_eyes, ...optional({ entry, escalations }) },
    remarks: question.remarks,
  };
}
