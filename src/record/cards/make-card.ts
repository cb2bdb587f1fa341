/**
 * Makes the card of a call: the facts of its admission, with the words that led to it. Also what the card says beyond the facts that
 * the call's digest covers: messages to people have it from the part that keeps the card.
 */
import type { AdmitCallInput, DecidedCall } from '../../shared/io/activities';
import type { ApprovalPolicy, Escalation } from '../../shared/approval/policy';
import { optional } from '../../shared/json/optional';
import { ASK_PERSON } from '../../shared/approval/person-question';
import { questionCard } from '../../cards/question-card';
import { approvalCard, type CardFacts, type CardState } from '../../cards/card';
import { publicLink } from '../../shared/wire/links';
import { wordsOf } from './card-words';
import type { CardSource } from './stored-card';

/** Characters of all cards of a step in the URLs in which the Web UI passes them on, if all are to be whole. */
const CARDS_IN_URL = 300_000;

/** The Markdown. What an older workflow did not pass on is not on it. */
export async function cardOf(
  { store, pageUrl }: { store: CardSource; pageUrl: string | null },
  request: AdmitCallInput,
  facts: CardFacts,
): Promise<string> {
  const { turn, head, cards = 1 } = request;
  if (request.expires_at === null) return approvalCard(facts, { most: 0 });
  const origin = head === undefined ? {} : { words: await wordsOf(store, head, turn), untrusted: hasReadOutsiders(request) };
  const link = publicLink(pageUrl, { turn_id: turn.turn_id, digest: facts.digest });
  if (facts.tool === ASK_PERSON) return questionCard({ ...facts, ...origin }, { link });
  return approvalCard({ ...facts, ...origin }, { most: CARDS_IN_URL / cards, link });
}

function hasReadOutsiders({ untrusted, undecided }: AdmitCallInput): boolean {
  return untrusted ?? undecided?.untrusted ?? false;
}

export interface StateFacts {
  decided: DecidedCall | undefined;
  policy: ApprovalPolicy;
  escalations?: readonly Escalation[];
  /** ISO 8601 */
  asked_at: string;
}

/**
 * What the turn knows of a call that people are asked about, besides what the digest covers.
 */
export function cardState(request: AdmitCallInput, { decided, policy, escalations = [], asked_at }: StateFacts): CardState {
  const { channel, quorum, roles, four_eyes, entry } = policy;
  const further = escalations.length > 0 ? { escalations: [...escalations] } : {};
  const changes = [...(request.changes ?? []), ...(decided?.changes ?? [])];
  return {
    reason: decided?.reason ?? request.reason,
    changes: changes.map(({ hook, why, by = hook }) => ({ by, why })),
    untrusted: hasReadOutsiders(request),
    asked_at,
    policy: { channel, quorum, roles, four_eyes, ...optional({ entry }), ...further },
    remarks: [],
  };
}
