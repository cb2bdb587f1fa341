/**
 * `POST /v1/turns/:id/decisions`: a decision of an authenticated principal, signed here in his name. Who decides is whose
 * token it is: a name in the body may say the same, and nothing else.
 */
import type { SigningKey } from '../../attestation/signing-key';
import { decideSigned } from '../../client/attest';
import { decidedCalls } from '../../client/decided';
import type { Done } from '../../client/done-before';
import type { TurnHandle } from '../../client/turn-handle';
import { samePerson } from '../../shared/approval';
import { readDecision, type DecisionFields, type DecisionKind } from '../../shared/decision';
import { isJsonObject, type Json } from '../../shared/json';
import { CALL_STATES } from '../../shared/turn-view';
import { Refusal } from '../errors';
import { once } from '../once';
import type { Principal } from '../principals';
import { answers, postHeaders, turnParams } from '../schemas';
import { visibleTurn } from '../visible-turn';
import type { Route } from '../route';

const KINDS = ['approve', 'deny', 'settle'] as const satisfies DecisionKind[];

const digest = {
  type: 'string',
  pattern: '^[0-9a-f]{12,64}$',
  description: 'The first 12 or more hex characters of the digest of a call that waits.',
};
const schema = {
  summary: 'Approve, deny or settle calls that wait',
  description: 'Signed by the gateway in the name of the principal whose token it is.',
  tags: ['turns'],
  params: turnParams,
  headers: postHeaders,
  body: {
    type: 'object',
    required: ['decision'],
    additionalProperties: false,
    properties: {
      decision: { enum: KINDS },
      call: digest,
      calls: {
        type: 'array',
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
        items: digest,
        description: 'Instead of `call`: all of them, or none.',
      },
      outcome: { enum: ['applied', 'not_applied'], description: 'With `settle`.' },
      input: {
        type: 'object',
        description: 'With `approve`: the whole input that the call should have instead; it is asked about anew.',
      },
      note: { type: 'string', maxLength: 4000, description: 'Of a denial the model reads it.' },
      by: { type: 'string', maxLength: 200, description: 'The name of the principal whose token it is, or left out.' },
    },
    examples: [{ decision: 'approve', call: '3f0a9c1d2b4e', note: 'Checked against the purchase order.' }],
  },
  response: answers(
    {
      200: {
        description: 'The decision counts.',
        type: 'object',
        required: ['accepted', 'by', 'calls', 'now'],
        properties: {
          accepted: { const: true },
          by: { type: 'string' },
          calls: { type: 'array', items: { type: 'string' }, description: 'The whole digests.' },
          now: {
            type: 'array',
            description:
              'How these calls stand after it: of two approvals that are needed, how many there are. Empty where no worker says it in 2 s.',
            items: {
              type: 'object',
              required: ['digest', 'state', 'approvals', 'quorum'],
              properties: {
                digest: { type: 'string' },
                state: { enum: CALL_STATES },
                approvals: { type: 'integer' },
                quorum: { type: 'integer' },
              },
            },
          },
        },
      },
    },
    404,
    409,
  ),
};

interface Posted {
  Params: { id: string };
  Body: Json;
}

export const decisions: Route = (app, parts) => {
  app.post<Posted>(
    '/v1/turns/:id/decisions',
    { schema, config: { roles: ['approver'], keepsAnswer: true } },
    async (request, reply) => {
      const { principal } = request;
      const read = readBody(request.body, principal);
      if (!read.ok) throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_decision', message: read.reason });
      const { turn } = await visibleTurn(parts, principal, request.params.id);
      const decide = (named: TurnHandle) => decideAs(named, parts.key, principal, read);
      const calls = await once(request.operation, turn, decide, sentCalls);
      return reply
        .header('cache-control', 'no-store')
        .send({ accepted: true, by: principal.name, calls, now: await decidedCalls(turn, calls) });
    },
  );
};

/** The whole digests, as they were sent to the turn. */
function sentCalls({ sent }: Done): string[] {
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

/** Signs for a principal, and decides. @returns the whole digests. @throws DecisionNotAccepted with the reason */
export function decideAs(
  turn: TurnHandle,
  key: SigningKey,
  { name, roles }: Principal,
  { kind, fields }: { kind: DecisionKind; fields: Pick<DecisionFields, 'calls' | 'input' | 'outcome' | 'note'> },
): Promise<string[]> {
  const { calls, input, outcome, note } = fields;
  const what = {
    ...(input === null ? {} : { input }),
    ...(outcome === null ? {} : { outcome }),
    ...(note === null ? {} : { note }),
  };
  return decideSigned(turn, key, { decision: kind, calls, principal: name, roles, ...what });
}
