/**
 * Makes the card of a call: the facts of its admission, with the words that led to it. Also what the card says beyond the facts that
 * the call's digest covers: messages to people have it from the part that keeps the card.
 */
import { Context } from '@temporalio/activity';
import type { AdmitCallInput, DecidedCall } from '../../shared/io/activities';
import type { ApprovalPolicy } from '../../shared/approval/approval';
import { approvalCard, type CardFacts, type CardState, type CardWords } from '../../shared/approval/card';
import { publicLink } from '../../shared/wire/public-link';
import { wordsOf } from '../../record/card-words';
import type { Dependencies } from '../ports';

/** Characters of all cards of a step in the URLs in which the Web UI passes them on, if all are to be whole. */
const CARDS_IN_URL = 300_000;

/** The Markdown. What an older workflow did not pass on is not on it. */
export async function cardOf({ store, pageUrl }: Dependencies, request: AdmitCallInput, facts: CardFacts): Promise<string> {
  const { turn, head, cards = 1 } = request;
  if (request.expires_at === null) return approvalCard(facts, { most: 0 });
  const said = head === undefined ? {} : await conversation({ store }, head, request);
  const link = publicLink(pageUrl, { turn_id: turn.turn_id, digest: facts.digest });
  return approvalCard({ ...facts, ...said }, { most: CARDS_IN_URL / cards, link });
}

async function conversation(
  { store }: Pick<Dependencies, 'store'>,
  head: string,
  request: AdmitCallInput,
): Promise<{ words: CardWords[]; untrusted: boolean }> {
  return { words: await wordsOf(store, head), untrusted: hadReadOutsiders(request) };
}

function hadReadOutsiders({ untrusted, undecided }: AdmitCallInput): boolean {
  return untrusted ?? undecided?.untrusted ?? false;
}

/** What the turn knows of a call that people are asked about, besides what the digest covers. */
export function cardState(request: AdmitCallInput, decided: DecidedCall | undefined, policy: ApprovalPolicy): CardState {
  const { channel, quorum, roles, four_eyes } = policy;
  const changes = [...(request.changes ?? []), ...(decided?.changes ?? [])];
  return {
    reason: decided?.reason ?? request.reason,
    changes: changes.map(({ hook, why, by = hook }) => ({ by, why })),
    untrusted: hadReadOutsiders(request),
    asked_at: new Date(Context.current().info.scheduledTimestampMs).toISOString(),
    policy: { channel, quorum, roles, four_eyes },
    remarks: [],
  };
}
