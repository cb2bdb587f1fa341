/** What was written down of a dispatch when it was claimed: who is told of it later on may be told something else. */
import type { ApprovalPolicy } from '../shared/approval';
import type { JsonObject } from '../shared/json';
import type { EffectRecord, Store } from '../store/store';

export interface DispatchedUnder {
  agent: string;
  /** What approving the call took. Null: from before that was written down. */
  approval: ApprovalPolicy | null;
}

/** Null: the record is no dispatch's, or from before the blocks said whose they are. */
export async function dispatchedUnder(store: Store, { head }: EffectRecord): Promise<DispatchedUnder | null> {
  const { block, bodies } = await store.getBlock(head);
  const { subject, approval = null } = (bodies[0] ?? {}) as JsonObject;
  if (block.kind !== 'dispatch' || !subject) return null;
  return { agent: String((subject as JsonObject).agent), approval: approval as unknown as ApprovalPolicy | null };
}
