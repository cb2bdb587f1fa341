/**
 * Reads the card object for a message about a question: what the digest covers from the store, the words that led to the call and
 * whether outsiders' text was read from the transcript, and what the turn knew when it asked from the part that keeps the card.
 */
import type { CardState, MessageCard } from '../../cards/card';
import { askedFacts } from '../../shared/approval/person-question';
import { conversationBefore } from './card-words';
import { isOf, type Owner } from '../owner';
import { readCardPart } from '../parts';
import { storedCard, storedFacts, type CardSource, type StoredCard } from './stored-card';

export interface AskedQuestion {
  kind: MessageCard['kind'];
  digest: string;
  expires_at: string | null;
  /** The transcript when people were asked; null: the message says nothing of the conversation. */
  head: string | null;
  /** The part with the card; null: there is none. */
  card_ref: string | null;
}

/**
 * @param turn that sends the message: it says nothing of a call of another turn that is not below it
 * @returns null: the store does not have the call under its digest, or it is somebody else's
 * @throws StoreError; OfAnotherTurn
 */
export async function messageCard(
  source: CardSource,
  { kind, digest, expires_at, head, card_ref }: AskedQuestion,
  turn: Owner,
): Promise<MessageCard | null> {
  const stored = await findCall(source, digest);
  if (stored === null) return null;
  const { words, untrusted, starts } = await conversationBefore(source, head, stored.record);
  if (![stored.record, ...starts].some((record) => isOf(turn, record))) return null;
  const { agent, call_id, revision, tool, version, class: toolClass } = stored.record;
  const { words: _, ...facts } = storedFacts(stored, words);
  return {
    ...{ kind, agent, call_id, revision, tool, version, class: toolClass, digest },
    ...askedFacts(tool, stored.input),
    ...facts,
    ...(head === null ? {} : { words }),
    ...((await stateIn(source, card_ref, digest)) ?? (untrusted === null ? {} : { untrusted })),
    expires_at,
  };
}

async function findCall(source: CardSource, digest: string): Promise<StoredCard | null> {
  try {
    return await storedCard(source, digest);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'not_found') return null;
    throw error;
  }
}

async function stateIn(source: CardSource, cardRef: string | null, digest: string): Promise<CardState | null> {
  if (cardRef === null) return null;
  const part = readCardPart(await source.getPart(cardRef));
  return part.digest === digest ? (part.state ?? null) : null;
}
