/**
 * The rest of admission, in the workflow: previews through an activity, the digest built from exactly
 * what will be passed, and the question to a person.
 */
import type { AdmittedCall, CallArguments, CallOutcome, Decision, TurnContext } from '../shared/activity-io';
import { callDigest, hashJson, idempotencyKey } from '../shared/digests';
import { callError } from '../shared/errors';
import { admitCall } from './activities';
import { endCall, moveCall } from './call-log';
import type { Admission, Dispatch } from './dispatch-types';

/** Admits one call: at once where the step has said all; else it resolves once it is known whether the call may run. */
export function admit(context: Dispatch, call: AdmittedCall): Admission | Promise<Admission> {
  if (call.needs_admit) return admitLater(context, call);
  const args = callArguments(context, call, null, call.digest);
  moveCall(context.data, call.id, 'ready', identity(context.turn, args));
  return { ok: true, args, decision: null };
}

/** The preview first, then the question to a person, where the verdict says so. */
async function admitLater(context: Dispatch, call: AdmittedCall): Promise<Admission> {
  const asks = call.verdict === 'ask';
  const policy = context.data.policy!;
  const expiresAt = asks ? new Date(Date.now() + policy.approval_expiry_ms).toISOString() : null;
  const { id, tool, version, input_hash, input, input_ref } = call;
  const fields = {
    id,
    revision: 1,
    tool,
    version,
    class: call.class,
    input_hash,
    input,
    input_ref,
    policy_ref: policy.policy_ref,
  };
  const admitted = await admitCall({ turn: context.turn, call: fields, reason: call.reason, expires_at: expiresAt });
  if (!admitted.ok) return { ok: false, outcome: endCall(context.data, call, 'rejected', { error: admitted.error }) };

  const args = callArguments(context, call, admitted.preview_ref, admitted.digest);
  if (!asks) {
    moveCall(context.data, call.id, 'ready', identity(context.turn, args));
    return { ok: true, args, decision: null };
  }
  const view = moveCall(context.data, call.id, 'waiting', identity(context.turn, args));
  view.approval.expires_at = expiresAt;
  const decision = await context.desk.askApproval({
    digest: args.digest,
    tool: call.tool,
    card: admitted.card,
    cardRef: admitted.card_ref,
    expiresAt: expiresAt!,
  });
  Object.assign(view.approval, { decision: decision.decision, note: decision.note, by: decision.by === '' ? [] : [decision.by] });
  if (decision.decision !== 'approve') return { ok: false, outcome: refused(context, call, decision) };
  moveCall(context.data, call.id, 'approved');
  return { ok: true, args, decision };
}

/** What will be passed, with the digest over exactly that; it must be the digest that was admitted. */
function callArguments(context: Dispatch, call: AdmittedCall, previewRef: string | null, admitted: string | null): CallArguments {
  const { id, tool, version, input, input_ref } = call;
  const args = {
    id,
    revision: 1,
    tool,
    version,
    class: call.class,
    input_hash: input === null ? call.input_hash : hashJson(input),
    input,
    input_ref,
    preview_ref: previewRef,
    policy_ref: context.data.policy!.policy_ref,
    dispatch: 1,
  };
  const digest = callDigest({ ...args, turn_id: context.turn.turn_id, call_id: id, requester: context.turn.requester });
  if (digest !== admitted)
    throw new Error(`Call ${id} was admitted as ${admitted}, but what would be passed has digest ${digest}`);
  return { ...args, digest };
}

function identity(turn: TurnContext, args: CallArguments): { digest: string; idempotency_key: string } {
  return {
    digest: args.digest,
    idempotency_key: idempotencyKey({ ...turn, call_id: args.id, digest: args.digest }),
  };
}

function refused(context: Dispatch, call: AdmittedCall, decision: Decision): CallOutcome {
  const effect = call.class === 'destructive' ? 'refused' : null;
  if (decision.decision === 'expired') {
    const error = callError(
      'CONFIRMATION_REQUIRED',
      'expired',
      `Nobody decided before ${decision.expires_at}, so this call was refused.`,
      {
        hint: 'Tell the user that it waited for approval and expired.',
      },
    );
    return endCall(context.data, call, 'expired', { error, effect, decision });
  }
  const note = decision.note === null || decision.note.trim() === '' ? '' : ` They say: ${decision.note}`;
  const error = callError('CONFIRMATION_REQUIRED', 'denied', `A person declined this call.${note}`, {
    hint: 'Do not repeat it as it is. If what they say allows it, propose something else: it will be asked anew.',
  });
  return endCall(context.data, call, 'denied', { error, effect, decision });
}
