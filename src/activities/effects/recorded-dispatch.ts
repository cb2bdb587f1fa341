/**
 * What was written down of a dispatch when it was claimed: who is told of it later on may be told something else. A record may be
 * found by its act too, since a reset gives a call another digest; and whoever starts activities has any digest admitted.
 * So whose an effect is, and what it acted on, is said by its own dispatch, not by the digest that it is asked about under.
 */
import type { TurnContext } from '../../shared/activity-io';
import type { ApprovalPolicy } from '../../shared/approval/approval';
import { readBlock } from '../../record/read-block';
import { StoreError, type EffectRecord, type Store } from '../../store/store';
import type { NamedCall } from '../call/call-input';

export interface RecordedDispatch {
  agent: string;
  requester: string;
  version: string;
  /** What whoever approved it was shown. */
  preview_ref: string | null;
  /** What approving the call took. Null: from before that was written down. */
  approval: ApprovalPolicy | null;
}

/** Null: the record is no dispatch's, or from before the blocks said whose they are. */
export async function recordedDispatch(store: Store, { head }: EffectRecord): Promise<RecordedDispatch | null> {
  const block = readBlock(await store.getBlock(head));
  if (block?.kind !== 'dispatch' || block.subject === null) return null;
  const { subject, preview_ref, approval } = block;
  const { agent, requester, version } = subject;
  return { agent: agent ?? '', requester: requester ?? '', version: version ?? '', preview_ref, approval };
}

/**
 * The call that a record is of.
 * @param named the one that was found by its act
 * @returns null where that cannot be told, or is another agent's or requester's
 */
export async function dispatchedAs(
  store: Store,
  { turn, digest, named }: { turn: TurnContext; digest: string; named: NamedCall },
  record: EffectRecord,
): Promise<NamedCall | null> {
  if (record.digest === digest) return named;
  const before = await recordedDispatch(store, record);
  if (before?.agent !== turn.agent || before.requester !== turn.requester) return null;
  if (turn.store_id === undefined) return { ...named, version: before.version };
  const own = await store.getCall(record.digest).catch((error: unknown) => {
    if (error instanceof StoreError) return null;
    throw error;
  });
  return own && { ...named, version: own.record.version, target: own.target };
}
