/**
 * A decision that comes through a protocol. It is checked, signed and sent exactly as that of `POST /v1/turns/:id/decisions`: the
 * token says who decides, and the gateway signs in that principal's name.
 */
import type { TurnHandle } from '../../client/turns/turn-handle';
import { roleMissing } from '../../gateway/auth/authenticate';
import type { Principal } from '../../gateway/auth/principals';
import { once, type Operation } from '../../gateway/http/idempotency';
import type { GatewayParts } from '../../gateway/route';
import { readDecisionBody } from '../../gateway/decision-body';
import { decideAs, sentCalls } from '../../gateway/routes/decisions';
import { hashJson } from '../../shared/json/digests';
import type { JsonObject } from '../../shared/json/json';

/**
 * @param operation what is asked once, however often it is sent
 * @param body as of `POST /v1/turns/:id/decisions`
 * @returns the whole digests
 * @throws Refusal 403 without the role `approver`, 400; DecisionNotAccepted with the reason
 */
export async function decideOnce(
  { key }: Pick<GatewayParts, 'key'>,
  principal: Principal,
  { turn, operation, body }: { turn: TurnHandle; operation: Operation; body: JsonObject },
): Promise<string[]> {
  if (!principal.roles.includes('approver')) throw roleMissing(['approver'], principal);
  const decision = readDecisionBody(body, principal);
  return once(operation, turn, (handle) => decideAs(handle, key, principal, decision), sentCalls);
}

/** A part of an operation that acts several times: each act has a name of its own. */
export function partOf(operation: Operation, part: string): Operation {
  const { name, since } = operation.act;
  return { ...operation, act: { name: `act_${hashJson({ of: name, part }).slice(0, 40)}`, since } };
}
