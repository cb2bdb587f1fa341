/**
 * `POST /v1/turns/:id/answers`: what a person answers to a question of the model, signed by the gateway in the person's name. Approvers
 * answer the questions of every turn that they see; whoever started a turn answers those of that turn. The worker checks whether the
 * question is for that person, and whether the answer fits.
 */
import { z } from 'zod';
import { signAndDecide } from '../../client/approvals/attest';
import { decidedCalls } from '../../client/approvals/watch-pending';
import type { ActRecord } from '../../client/turns/start-turn';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { readDecision } from '../../shared/approval/decision';
import type { Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { json } from '../../shapes/envelope';
import { decidedCall } from '../../shapes/turn-view';
import type { Principal } from '../auth/principals';
import { visibleTurn, type VisibleTurn } from '../auth/turn-session-access';
import { Refusal } from '../http/errors';
import { once, type Operation } from '../http/idempotency';
import type { GatewayParts, Route } from '../route';
import { answer, answers as replies, body, postHeaders, turnParams } from '../schemas/common';

const answerBody = z.strictObject({
  call: z
    .string()
    .regex(/^[0-9a-f]{12,64}$/)
    .describe('The first 12 or more hex characters of the digest of a question that waits.'),
  value: json.describe(
    'The answer: a text, one of the choices, or JSON that fits the schema of the question. At most 16,384 bytes.',
  ),
  note: z.string().max(4000).optional().describe('The model reads it beside the answer.'),
});
const answerReply = z.object({
  accepted: z.literal(true),
  by: z.string(),
  call: z.string().describe('The whole digest.'),
  now: z.array(decidedCall).describe('How the call stands after it. Empty where no worker says it in 2 s.'),
});

const schema = {
  summary: 'Answer a question of the model',
  description:
    'Signed by the gateway in the name of the principal whose token it is. Without the role `approver` it is open to the requester of the turn only. An answer approves nothing; whoever gives it counts as a maker of later calls.',
  tags: ['turns'],
  params: turnParams,
  headers: postHeaders,
  body: body(answerBody, { call: '3f0a9c1d2b4e', value: 'operations' }),
  response: replies({ 200: answer('The model gets the answer.', answerReply) }, 404, 409),
};

interface PostAnswer {
  Params: { id: string };
  Body: z.infer<typeof answerBody>;
  Reply: z.infer<typeof answerReply>;
}

export const answers: Route = (app, parts) => {
  app.post<PostAnswer>(
    '/v1/turns/:id/answers',
    { schema, config: { roles: ['starter', 'approver'], keepsAnswer: true } },
    async (request, reply) => {
      const { principal, params, operation } = request;
      const { turn, digest } = await answerOnce(parts, principal, { turnId: params.id, operation, answer: request.body });
      (await parts.client()).inbox.decided(turn.id, [digest]);
      return reply
        .header('cache-control', 'no-store')
        .send({ accepted: true, by: principal.name, call: digest, now: await decidedCalls(turn, [digest]) });
    },
  );
};

/**
 * Checks, signs and sends a principal's answer.
 * @param sending.operation what is sent once; null: each request is executed
 * @returns the turn, and the whole digest of the question
 * @throws Refusal 400, 403, 404; DecisionNotAccepted with the reason
 */
export async function answerOnce(
  parts: GatewayParts,
  principal: Principal,
  { turnId, operation, answer }: { turnId: string; operation: Operation | null; answer: z.infer<typeof answerBody> },
): Promise<{ turn: TurnHandle; digest: string }> {
  const { call, value, note } = answer;
  const read = readDecision('answer', { call, value, ...optional({ note }), by: principal.name });
  if (!read.ok) throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_answer', message: `${read.reason}.` });
  const { turn } = await answerableTurn(parts, principal, turnId);
  const send = (handle: TurnHandle) => answerAs(parts, handle, principal, { call, value, ...optional({ note }) });
  return { turn, digest: await once(operation, turn, send, sentCall) };
}

/** @throws Refusal 404; 403 if the principal is no approver, and did not start the turn */
async function answerableTurn(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleTurn> {
  const turn = await visibleTurn(parts, principal, id);
  if (principal.roles.includes('approver') || turn.summary.requester === principal.name) return turn;
  const message = `${principal.name} did not start this turn; only its requester or an approver may answer its questions.`;
  throw new Refusal({ code: 'PERMISSION_DENIED', reason: 'not_requester', message });
}

/** Signs a principal's answer, and sends it. @returns the whole digest. @throws DecisionNotAccepted with the reason */
export async function answerAs(
  { key }: GatewayParts,
  turn: TurnHandle,
  { name, roles }: Principal,
  { call, ...what }: { call: string; value: Json; note?: string },
): Promise<string> {
  const [digest] = await signAndDecide(turn, key, { decision: 'answer', calls: [call], principal: name, roles, ...what });
  return digest!;
}

/** The whole digest, as it was sent to the turn. */
function sentCall({ sent }: ActRecord): string {
  return (sent as { call: string }).call;
}
