/**
 * What was written down of a dispatch when it was claimed: who is told of it later on may be told something else. A record may be
 * found by its act too, since a reset gives a call another digest; and whoever starts activities has any digest admitted.
 * So whose an effect is, and what it acted on, is said by its own dispatch, not by the digest that it is asked about under.
 */
import type { TurnContext } from '../shared/activity-io';
import type { ApprovalPolicy } from '../shared/approval';
import type { JsonObject } from '../shared/json';
import { StoreError, type EffectRecord, type Store } from '../store/store';
import type { NamedCall } from './call-input';

export interface DispatchedUnder {
  agent: string;
  requester: string;
  version: string;
  /** What whoever approved it was shown. */
  preview_ref: string | null;
  /** What approving the call took. Null: from before that was written down. */
  approval: ApprovalPolicy | null;
}

/** Null: the record is no dispatch's, or from before the blocks said whose they are. */
export async function dispatchedUnder(store: Store, { head }: EffectRecord): Promise<DispatchedUnder | null> {
  const { block, bodies } = await store.getBlock(head);
  const { subject, preview_ref = null, approval = null } = (bodies[0] ?? {}) as JsonObject;
  if (block.kind !== 'dispatch' || !subject) return null;
  const { agent, requester, version } = subject as JsonObject;
  return {
    agent: String(agent),
    requester: String(requester),
    version: String(version),
    preview_ref: preview_ref as string | null,
    approval: approval as unknown as ApprovalPolicy | null,
  };
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
  const before = await dispatchedUnder(store, record);
  if (before?.agent !== turn.agent || before.requester !== turn.requester) return null;
  if (turn.store_id === undefined) return { ...named, version: before.version };
  const own = await store.getCall(record.digest).catch((error: unknown) => {
    if (error instanceof StoreError) return null;
    throw error;
  });
  return own && { ...named, version: own.record.version, target: own.target };
}
