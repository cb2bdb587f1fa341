/**
 * `POST /v1/turns/:id/decisions`: a decision of an authenticated principal, which the gateway signs in the principal's name. The
 * token says who decides: a name in the body may only repeat it.
 */
import { z } from 'zod';
import type { SigningKey } from '../../attestation/signing-key';
import { signAndDecide } from '../../client/approvals/attest';
import { decidedCalls } from '../../client/approvals/watch-pending';
import type { ActRecord } from '../../client/turns/start-turn';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { samePerson } from '../../shared/approval/approval';
import { readDecision, type DecisionFields, type DecisionKind } from '../../shared/approval/decision';
import { isJsonObject, type Json } from '../../shared/json/json';
import { decidedCall, pendingTurn, type PendingTurn } from '../../shapes/turn-view';
import { jsonObject } from '../../shapes/envelope';
import { Refusal } from '../http/errors';
import { once } from '../http/idempotency';
import { type Principal, visibilityOf } from '../auth/principals';
import { answer, answers, body, postHeaders, turnParams } from '../schemas/common';
import { visibleTurn } from '../auth/turn-session-access';
import type { Route } from '../route';
import { examplePending } from '../schemas/examples';
import { optional } from '../../shared/json/optional';

const KINDS = ['approve', 'deny', 'settle'] as const satisfies DecisionKind[];

const digest = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/)
  .describe('The first 12 or more hex characters of the digest of a call that waits.');
const decisionBody = z.strictObject({
  decision: z.enum(KINDS),
  call: digest.optional(),
  calls: z
    .array(digest)
    .min(1)
    .max(64)
    .optional()
    .meta({ uniqueItems: true, description: 'Instead of `call`: all of them, or none.' }),
  outcome: z.enum(['applied', 'not_applied']).optional().describe('With `settle`.'),
  input: jsonObject
    .optional()
    .describe('With `approve`: the whole input that the call should have instead; it is asked about anew.'),
  note: z.string().max(4000).optional().describe('Of a denial the model reads it.'),
  by: z.string().max(200).optional().describe('The name of the principal whose token it is, or left out.'),
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
  description: 'Signed by the gateway in the name of the principal whose token it is.',
  tags: ['turns'],
  params: turnParams,
  headers: postHeaders,
  body: body(decisionBody, { decision: 'approve', call: '3f0a9c1d2b4e', note: 'Checked against the purchase order.' }),
  response: answers({ 200: answer('The decision counts.', decisionReply) }, 404, 409),
};

interface PostDecision {
  Params: { id: string };
  Body: Json;
  Reply: z.infer<typeof decisionReply>;
}

export const decisions: Route = (app, parts) => {
  app.post<PostDecision>(
    '/v1/turns/:id/decisions',
    { schema, config: { roles: ['approver'], keepsAnswer: true } },
    async (request, reply) => {
      const { principal } = request;
      const read = readBody(request.body, principal);
      if (!read.ok) throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_decision', message: read.reason });
      const { turn } = await visibleTurn(parts, principal, request.params.id);
      const decide = (handle: TurnHandle) => decideAs(handle, parts.key, principal, read);
      const calls = await once(request.operation, turn, decide, sentCalls);
      return reply
        .header('cache-control', 'no-store')
        .send({ accepted: true, by: principal.name, calls, now: await decidedCalls(turn, calls) });
    },
  );
};

/** The whole digests, as they were sent to the turn. */
function sentCalls({ sent }: ActRecord): string[] {
  const { call, calls } = sent as { call?: string; calls?: string[] };
  return calls ?? [call!];
}

type ReadBody = { ok: true; kind: DecisionKind; fields: DecisionFields } | { ok: false; reason: string };

function readBody(body: Json, { name }: Principal): ReadBody {
  if (!isJsonObject(body)) return { ok: false, reason: 'The body must be one JSON object.' };
  const { decision, by, ...rest } = body;
  if (!KINDS.includes(decision as DecisionKind))
    return { ok: false, reason: '"decision" must be "approve", "deny" or "settle".' };
  if (by !== undefined && !(typeof by === 'string' && samePerson(by, name)))
    return { ok: false, reason: `"by" must be ${JSON.stringify(name)}, whose token this is, or be left out.` };
  if (rest.attestation !== undefined)
    return { ok: false, reason: '"attestation" is made here: leave it out, or send it as a signal.' };
  const read = readDecision(decision as DecisionKind, { ...rest, by: name });
  return read.ok ? { ok: true, kind: decision as DecisionKind, fields: read.fields } : { ok: false, reason: `${read.reason}.` };
}

/** Signs a principal's decision, and sends it. @returns the whole digests. @throws DecisionNotAccepted with the reason */
export function decideAs(
  turn: TurnHandle,
  key: SigningKey,
  { name, roles }: Principal,
  { kind, fields }: { kind: DecisionKind; fields: Pick<DecisionFields, 'calls' | 'input' | 'outcome' | 'note'> },
): Promise<string[]> {
  const { calls, input, outcome, note } = fields;
  const what = optional({ input: input ?? undefined, outcome: outcome ?? undefined, note: note ?? undefined });
  return signAndDecide(turn, key, { decision: kind, calls, principal: name, roles, ...what });
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
  const byLength = turns.map((turn) => ({ turn, length: length(turn) })).sort((a, b) => a.length - b.length);
  for (const { turn, length: taken } of byLength) if ((room -= taken) >= 0) fit.add(turn);
  const unreachable =
    'Its cards do not fit into one answer beside the others: decide those first, or ask for it by `holdfast pending`.';
  return turns.map((turn) => (fit.has(turn) ? turn : { ...turn, calls: [], unreachable }));
}
