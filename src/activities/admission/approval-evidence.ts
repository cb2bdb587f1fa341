/** What whoever approved a call was shown besides its input: a part of its own, whose hash stands in the call's digest. */
import type { CallArguments } from '../../shared/activity-io';
import { readApprovalEvidence, type ApprovalEvidence } from '../../record/parts';
import { asJson } from '../../shared/json/json';
import type { Store } from '../../store/store';

/** Null where there is nothing to show. */
export async function storeApprovalEvidence(
  store: Store,
  scope: string,
  callId: string,
  { preview, held, makers, target }: ApprovalEvidence,
): Promise<string | null> {
  if (preview === null && held.length === 0 && makers.length === 0 && target === null) return null;
  const more = {
    ...(held.length > 0 ? { held: asJson(held) } : {}),
    ...(makers.length > 0 ? { makers } : {}),
    ...(target === null ? {} : { target }),
  };
  return store.putPart(scope, { call_id: callId, preview, ...more });
}

export async function approvalEvidenceOf(
  store: Store,
  { preview_ref }: Pick<CallArguments, 'preview_ref'>,
): Promise<ApprovalEvidence> {
  if (preview_ref === null) return { preview: null, held: [], makers: [], target: null };
  return readApprovalEvidence(await store.getPart(preview_ref));
}
