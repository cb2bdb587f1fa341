/**
 * A decision or an answer that comes through a protocol. It is checked, signed and sent exactly as that of
 * `POST /v1/turns/:id/decisions`, or of `…/answers`: the token says who decides, and the gateway signs in that principal's name.
 */
import type { TurnHandle } from '../../client/turns/turn-handle';
import { needRole } from '../../gateway/auth/authenticate';
import type { Principal } from '../../gateway/auth/principals';
import { Refusal } from '../../gateway/http/errors';
import { once, type Operation } from '../../gateway/http/idempotency';
import type { GatewayParts } from '../../gateway/route';
import { readDecisionBody } from '../../gateway/decision-body';
import { answerOnce } from '../../gateway/routes/answers';
import { decideAs, sentCalls } from '../../gateway/routes/decisions';
import { hashJson } from '../../shared/json/digests';
import type { JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';

/**
 * @param operation what is asked once, however often it is sent
 * @param body as of `POST /v1/turns/:id/decisions`; or an answer to a question, with `decision: 'answer'`
 * @throws Refusal 403 without the role `approver`, 400; DecisionNotAccepted with the reason
 */
export async function decideOnce(
  parts: GatewayParts,
  principal: Principal,
  { turn, operation, body }: { turn: TurnHandle; operation: Operation; body: JsonObject },
): Promise<void> {
  if (body.decision === 'answer') return answer(parts, principal, turn, operation, body);
  needRole(principal, ['approver']);
  const decision = readDecisionBody(body, principal);
  await once(operation, turn, (handle) => decideAs(handle, parts, principal, decision), sentCalls);
}

async function answer(
  parts: GatewayParts,
  principal: Principal,
  turn: TurnHandle,
  operation: Operation,
  { decision: _, call, value = null, note, ...others }: JsonObject,
): Promise<void> {
  const [strange] = Object.keys(others);
  if (typeof call !== 'string' || (note !== undefined && typeof note !== 'string') || strange !== undefined) {
    const message = 'An answer is {"decision": "answer", "call": "DIGEST", "value": …}, and a "note" if need be.';
    throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_answer', message });
  }
  await answerOnce(parts, principal, { turnId: turn.id, operation, answer: { call, value, ...optional({ note }) } });
}

/** A part of an operation that acts several times: each act has a name of its own. */
export function partOf(operation: Operation, part: string): Operation {
  const { name, since } = operation.act;
  return { ...operation, act: { name: `act_${hashJson({ of: name, part }).slice(0, 40)}`, since } };
}
