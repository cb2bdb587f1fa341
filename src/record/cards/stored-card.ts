/**
 * Reads what a card shows from the store: the call by its digest, and the evidence that the digest covers. Whatever decides on the
 * call checks the same digest, so the card cannot differ from what runs.
 */
import type { HoldReason } from '../../shared/approval/approval';
import type { CardWords, StoredFacts } from '../../cards/card';
import type { CallRecord } from '../../shared/json/digests';
import type { Json, JsonObject } from '../../shared/json/json';
import type { BlockKind } from '../../shared/turn/transcript';
import { readApprovalEvidence } from '../parts';

/** The part of a store that is used. */
export interface CardSource {
  getCall(digest: string): Promise<{ record: CallRecord; input: JsonObject; target: JsonObject | null }>;
  getPart(hash: string): Promise<Json>;
  getBlock(hash: string): Promise<{ block: { kind: BlockKind; parent: string | null }; bodies: readonly Json[] }>;
}

export interface StoredCard {
  record: CallRecord;
  input: JsonObject;
  target: JsonObject | null;
  preview: Json;
  held: HoldReason[];
  makers: string[];
}

/** @throws StoreError `not_found` or `damaged`; UnexpectedPart */
export async function storedCard(source: CardSource, digest: string): Promise<StoredCard> {
  const { record, input, target } = await source.getCall(digest);
  const { preview, held, makers } =
    record.preview_ref === null
      ? { preview: null, held: [], makers: [] }
      : readApprovalEvidence(await source.getPart(record.preview_ref));
  return { record, input, target, preview, held, makers };
}

/** The part of a card that the store keeps. @param words those before the call (`conversationBefore`) */
export function storedFacts({ record, input, target, preview, held, makers }: StoredCard, words: CardWords[]): StoredFacts {
  const reasons = held.map(({ kind, text }) => ({ kind, text }));
  return { will_happen: preview, acts_on: target, input, held: reasons, requester: record.requester, makers, words };
}
