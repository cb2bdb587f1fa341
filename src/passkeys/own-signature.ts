/**
 * Whose signature a decision needs. Where only signed decisions count, a person who has an enrolled passkey signs with it, and the
 * gateway does not sign in their name: otherwise a token or a cookie in the wrong hands would decide as that person. A denial stays
 * possible without it, since it lets nothing run, and a person who sees something wrong must be able to stop it at once.
 */
import { PasskeyRegister } from '../attestation/passkey-register';
import { stateOf, trustedHere } from '../attestation/passkey-view';
import { waitingDigest } from '../client/approvals/attest';
import { pendingOf, type TurnHandle } from '../client/turns/turn-handle';
import type { Principal } from '../gateway/auth/principals';
import type { DecisionBody } from '../gateway/decision-body';
import { Refusal } from '../gateway/http/errors';
import type { GatewayParts } from '../gateway/route';
import { publicLink } from '../shared/wire/links';

type Parts = Pick<GatewayParts, 'store' | 'trustedKeys' | 'publicUrl'>;

/**
 * @throws Refusal 409 `passkey_needed` if the gateway may not sign this decision in the principal's name; DecisionNotAccepted for a call
 * that does not wait yet: it may when the decision is signed
 */
export async function mustNotNeedPasskey(
  turn: TurnHandle,
  parts: Parts,
  principal: Principal,
  body: DecisionBody,
): Promise<void> {
  if (body.kind === 'deny' || !(await hasEnrolledPasskey(parts, principal))) return;
  const view = await turn.status();
  const named = body.fields.calls.map((call) => waitingDigest(view, call));
  const attested = pendingOf(view).find(({ digest, approval }) => named.includes(digest) && approval.channel === 'attested');
  if (attested === undefined) return;
  const link = publicLink(parts.publicUrl ?? null, { turn_id: turn.id, digest: attested.digest });
  throw new Refusal({
    code: 'CONFIRMATION_REQUIRED',
    reason: 'passkey_needed',
    message: `Not accepted: ${principal.name} has an enrolled passkey, so the gateway signs no approval, edit or settlement in this name.`,
    hint: `Decide with the passkey on the page${link === null ? '' : `: ${link}`}. To deny needs no passkey.`,
  });
}

/** One that was taken back does not count, as far as it is known here. If the store cannot be read, nothing is signed. */
async function hasEnrolledPasskey(parts: Parts, { name }: Principal): Promise<boolean> {
  const [own, keys] = await Promise.all([new PasskeyRegister(parts.store).of(name), trustedHere(parts)]);
  return own.some((passkey) => stateOf(passkey, keys) === 'enrolled');
}
