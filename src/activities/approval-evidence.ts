/** What whoever approved a call was shown besides its input: a part of its own, whose hash stands in the call's digest. */
import type { CallArguments } from '../shared/activity-io';
import type { Held } from '../shared/approval';
import type { Json, JsonObject } from '../shared/json';
import type { Store } from '../store/store';

export interface Shown {
  /** Null: there was none. */
  preview: Json;
  /** Why it was asked about again: with an approval, what has been put up with. */
  held: Held[];
  /** Who has had a hand in the call, besides the requester: changed its input, or steered the turn before it was proposed. */
  makers: string[];
  /** What the tool declared as its target; null: nothing, or the digest is of version 1. */
  target: JsonObject | null;
}

/** Null where there is nothing to show. */
export async function storeShown(
  store: Store,
  scope: string,
  callId: string,
  { preview, held, makers, target }: Shown,
): Promise<string | null> {
  if (preview === null && held.length === 0 && makers.length === 0 && target === null) return null;
  const more = {
    ...(held.length > 0 ? { held: held as unknown as Json } : {}),
    ...(makers.length > 0 ? { makers } : {}),
    ...(target === null ? {} : { target }),
  };
  return store.putPart(scope, { call_id: callId, preview, ...more });
}

export async function shownOf(store: Store, { preview_ref }: Pick<CallArguments, 'preview_ref'>): Promise<Shown> {
  if (preview_ref === null) return { preview: null, held: [], makers: [], target: null };
  const { preview, held = [], makers = [], target } = (await store.getPart(preview_ref)) as unknown as Partial<Shown>;
  return { preview: preview ?? null, held, makers, target: target ?? null };
}
