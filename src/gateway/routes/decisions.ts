/**
 * `POST /v1/turns/:id/decisions`: a decision of an authenticated principal. A passkey of the principal signed it, or the gateway
 * signs it in the principal's name. The token says who decides: a name in the body may only repeat it.
 */
import { z } from 'zod';
import type { SigningKey } from '../../attestation/signing-key';
import { signAndDecide } from '../../client/approvals/attest';
import { decidedCalls } from '../../client/approvals/watch-pending';
import type { ActRecord } from '../../client/turns/start-turn';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { asJson } from '../../shared/json/json';
import { decidedCall, pendingTurn, type PendingTurn } from '../../shapes/turn-view';
import { decisionFields, digest, readDecisionBody, sendingOf, type DecisionBody } from '../decision-body';
import { once } from '../http/idempotency';
import { type Principal, visibilityOf } from '../auth/principals';
import { answer, answers, body, postHeaders, turnParams } from '../schemas/common';
import { visibleTurn } from '../auth/turn-session-access';
import { decideByPasskey } from '../passkeys/decision';
import { passkeyAssertion } from '../../shapes/passkey';
import type { Route } from '../route';
import { examplePending } from '../schemas/examples';

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
  calls: z.array(z.string()).describe('The whole digests.'),
  now: z
    .array(decidedCall)
    .describe(
      'How these calls stand after it: of two approvals that are needed, how many there are. Empty where no worker says it in 2 s.',
    ),
});

const schema = {
  summary: 'Approve, deny or settle calls that wait',
  description: 'Signed by the gateway in the name of the principal whose token it is, or by a passkey of the principal.',
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
      const decide = (handle: TurnHandle) =>
        passkey === undefined
          ? decideAs(handle, parts.key, principal, read)
          : decideByPasskey(handle, parts, principal, sendingOf(read, principal), passkey);
      const calls = await once(request.operation, turn, decide, sentCalls);
      return reply
        .header('cache-control', 'no-store')
        .send({ accepted: true, by: principal.name, calls, now: await decidedCalls(turn, calls) });
    },
  );
};

/** The whole digests, as they were sent to the turn. */
export function sentCalls({ sent }: ActRecord): string[] {
  const { call, calls } = sent as { call?: string; calls?: string[] };
  return calls ?? [call!];
}

/** Signs a principal's decision, and sends it. @returns the whole digests. @throws DecisionNotAccepted with the reason */
export function decideAs(turn: TurnHandle, key: SigningKey, principal: Principal, body: DecisionBody): Promise<string[]> {
  return signAndDecide(turn, key, sendingOf(body, principal));
}

// `GET /v1/pending`: the calls that wait for a person.

const pendingTurns = z.object({ turns: z.array(pendingTurn) });

const pendingSchema = {
  summary: 'What waits for a person',
  description:
    'Turns and direct calls in which a call waits for approval, or is in doubt. Their workers tell the calls; where none answers for five seconds, `unreachable` says why, and the rest is what Temporal knows.',
  tags: ['turns'],
  response: answers({ 200: answer('All that waits now.', pendingTurns, { turns: [examplePending] }) }),
};

export const pending: Route = (app, { client }) => {
  app.get<{ Reply: z.infer<typeof pendingTurns> }>(
    '/v1/pending',
    { schema: pendingSchema, config: { roles: ['approver', 'auditor', 'admin'] } },
    async (request, reply) => {
      const turns = await (await client()).pending({ sight: visibilityOf(request.principal) });
      return reply.header('cache-control', 'no-store').send({ turns: within(MOST_CARDS, turns) });
    },
  );
};

/** Limit for all cards together, characters: each may be long, and requesters decide how many there are. */
const MOST_CARDS = 4_000_000;

/** Short turns first: a few long ones must not hide all others. A turn that does not fit is listed without its calls. */
function within(most: number, turns: PendingTurn[]): PendingTurn[] {
  const length = ({ calls }: PendingTurn) => calls.reduce((sum, { card }) => sum + JSON.stringify(card).length, 0);
  const fit = new Set<PendingTurn>();
  let room = most;
  for (const turn of [...turns].sort((a, b) => length(a) - length(b))) if ((room -= length(turn)) >= 0) fit.add(turn);
  const unreachable =
    'Its cards do not fit into one answer beside the others: decide those first, or ask for it by `holdfast pending`.';
  return turns.map((turn) => (fit.has(turn) ? turn : { ...turn, calls: [], unreachable }));
}
