/**
 * `POST /v1/turns/:id/decisions`: a decision of an authenticated principal. A passkey of the principal signed it, or the gateway
 * signs it in the principal's name. The token says who decides: a name in the body may only repeat it.
 */
import { z } from 'zod';
import { signAndDecide } from '../../client/approvals/attest';
import { decidedCalls } from '../../client/approvals/watch-pending';
import type { ActRecord } from '../../client/turns/start-turn';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { asJson } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { decidedCall } from '../../shapes/turn-view';
import { decisionFields, digest, readDecisionBody, sendingOf, type DecisionBody } from '../decision-body';
import { once } from '../http/idempotency';
import type { Principal } from '../auth/principals';
import { answer, answers, body, postHeaders, turnParams } from '../schemas/common';
import { visibleTurn } from '../auth/turn-session-access';
import { decideByPasskey } from '../../passkeys/decision';
import { inStead } from '../../deputies/in-stead';
import { mustNotNeedPasskey } from '../../passkeys/own-signature';
import { passkeyAssertion } from '../../shapes/passkey';
import type { GatewayParts, Route } from '../route';

const decisionBody = z.strictObject({
  ...decisionFields,
  calls: z
    .array(digest)
    .min(1)
    .max(64)
    .optional()
    .meta({ uniqueItems: true, description: 'Instead of `call`: all of them, or none.' }),
  by: z.string().max(200).optional().describe('The name of the principal whose token it is, or left out.'),
  passkey: passkeyAssertion
    .optional()
    .describe('Signed by a passkey of the principal, after `…/decisions/challenge`, in place of the gateway.'),
});
const decisionReply = z.object({
  accepted: z.literal(true),
  by: z.string(),
  on_behalf_of: z.string().optional().describe('For whom, if a deputy decided.'),
  calls: z.array(z.string()).describe('The whole digests.'),
  now: z
    .array(decidedCall)
    .describe(
      'How these calls stand after it: of two approvals that are needed, how many there are. Empty where no worker says it in 2 s.',
    ),
});

const schema = {
  summary: 'Approve, deny or settle calls that wait',
  description:
    'Signed by the gateway in the name of the principal whose token it is, or by a passkey of the principal. Of a principal who has an enrolled passkey the gateway signs only denials, where signed decisions count (`passkey_needed`).',
  tags: ['turns'],
  params: turnParams,
  headers: postHeaders,
  body: body(decisionBody, { decision: 'approve', call: '3f0a9c1d2b4e', note: 'Checked against the purchase order.' }),
  response: answers({ 200: answer('The decision counts.', decisionReply) }, 404, 409),
};

interface PostDecision {
  Params: { id: string };
  Body: z.infer<typeof decisionBody>;
  Reply: z.infer<typeof decisionReply>;
}

export const decisions: Route = (app, parts) => {
  app.post<PostDecision>(
    '/v1/turns/:id/decisions',
    { schema, config: { roles: ['approver'], keepsAnswer: true } },
    async (request, reply) => {
      const { principal } = request;
      const { passkey, ...body } = request.body;
      const read = readDecisionBody(asJson(body), principal);
      const { turn } = await visibleTurn(parts, principal, request.params.id);
      const decide = async (handle: TurnHandle) =>
        passkey === undefined
          ? decideAs(handle, parts, principal, read)
          : decideByPasskey(
              handle,
              parts,
              principal,
              await inStead(parts, sendingOf(read, principal), read.fields.on_behalf_of),
              passkey,
            );
      const calls = await once(request.operation, turn, decide, sentCalls);
      (await parts.client()).inbox.decided(turn.id, calls);
      return reply.header('cache-control', 'no-store').send({
        ...{ accepted: true as const, by: principal.name, ...optional({ on_behalf_of: read.fields.on_behalf_of }) },
        ...{ calls, now: await decidedCalls(turn, calls) },
      });
    },
  );
};

/** The whole digests, as they were sent to the turn. */
export function sentCalls({ sent }: ActRecord): string[] {
  const { call, calls } = sent as { call?: string; calls?: string[] };
  return calls ?? [call!];
}

/**
 * Signs a principal's decision, and sends it.
 * @returns the whole digests
 * @throws Refusal 409 for a principal who has a passkey to sign with, or who is not the deputy of the person named; DecisionNotAccepted with the reason
 */
export async function decideAs(
  turn: TurnHandle,
  parts: GatewayParts,
  principal: Principal,
  body: DecisionBody,
): Promise<string[]> {
  await mustNotNeedPasskey(turn, parts, principal, body);
  const sending = await inStead(parts, sendingOf(body, principal), body.fields.on_behalf_of);
  return signAndDecide(turn, parts.key, sending);
}
