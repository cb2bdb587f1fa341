/** The body of a decision over HTTP: what a principal decides on which calls. The token says who decides. */
import { z } from 'zod';
import type { SignedSending } from '../client/approvals/attest';
import { samePerson } from '../shared/approval/approval';
import { readDecision, type DecisionFields, type DecisionKind } from '../shared/approval/decision';
import { isJsonObject, type Json } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { jsonObject } from '../shapes/envelope';
import type { Principal } from './auth/principals';
import { Refusal } from './http/errors';

const KINDS = ['approve', 'deny', 'settle'] as const satisfies DecisionKind[];

export const digest = z
  .string()
  .regex(/^[0-9a-f]{12,64}$/)
  .describe('The first 12 or more hex characters of the digest of a call that waits.');

/** Of a decision on one call. */
export const decisionFields = {
  decision: z.enum(KINDS),
  call: digest.optional(),
  outcome: z.enum(['applied', 'not_applied']).optional().describe('With `settle`.'),
  input: jsonObject
    .optional()
    .describe('With `approve`: the whole input that the call should have instead; it is asked about anew.'),
  note: z.string().max(4000).optional().describe('Of a denial the model reads it.'),
  on_behalf_of: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('With `approve`: the person for whom you decide, as their deputy. You and that person count as one.'),
};

/** What is decided on which calls. */
export interface DecisionBody {
  kind: (typeof KINDS)[number];
  fields: Pick<DecisionFields, 'calls' | 'input' | 'outcome' | 'note' | 'on_behalf_of'>;
}

/** A decision as its sender wrote it, with its kind. */
export interface SentDecision {
  kind: (typeof KINDS)[number];
  fields: DecisionFields;
}

/** @throws Refusal 400 that says what is wrong */
export function readDecisionBody(body: Json, principal: Principal): SentDecision {
  const read = readBody(body, principal);
  if (!read.ok) throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_decision', message: read.reason });
  return read;
}

type ReadBody = ({ ok: true } & SentDecision) | { ok: false; reason: string };

function readBody(body: Json, { name }: Principal): ReadBody {
  if (!isJsonObject(body)) return { ok: false, reason: 'The body must be one JSON object.' };
  const { decision, by, ...rest } = body;
  const kind = KINDS.find((one) => one === decision);
  if (kind === undefined) return { ok: false, reason: '"decision" must be "approve", "deny" or "settle".' };
  if (by !== undefined && !(typeof by === 'string' && samePerson(by, name)))
    return { ok: false, reason: `"by" must be ${JSON.stringify(name)}, whose token this is, or be left out.` };
  if (rest.attestation !== undefined)
    return { ok: false, reason: '"attestation" is made here: leave it out, or send it as a signal.' };
  const read = readDecision(kind, { ...rest, by: name });
  return read.ok ? { ok: true, kind, fields: read.fields } : { ok: false, reason: `${read.reason}.` };
}

/** The decision as it is signed and sent. */
export function sendingOf({ kind, fields }: DecisionBody, { name, roles }: Principal): SignedSending {
  const { calls, input, outcome, note } = fields;
  const what = optional({ input: input ?? undefined, outcome: outcome ?? undefined, note: note ?? undefined });
  return { decision: kind, calls, principal: name, roles, ...what };
}
