/** Schemas of deputies: who decides for whom, and until when. */
import { z } from 'zod';
import { jsonObject } from './envelope';
import { assertionResponse } from './passkey';

const name = z.string().min(1).max(200).regex(/\S/);
const names = z.array(z.string().min(1).max(255).regex(/\S/)).min(1).max(20);

/** What a person says who names a deputy. */
export const deputyFields = {
  deputy: name.optional().describe('The full name of the person who is to decide for you.'),
  from: z.iso.datetime().optional().describe('Default: now.'),
  until: z.iso.datetime().optional().describe('At most 366 days after `from`.'),
  roles: z
    .array(z.string().regex(/^[A-Za-z0-9._:-]{1,64}$/))
    .max(16)
    .optional()
    .describe('In which of your roles. Default: all of them.'),
  agents: names.optional().describe('Only for calls of these agents.'),
  tools: names.optional().describe('Only for calls of these tools.'),
};

export const deputyView = z.object({
  id: z.string().describe('First 16 hex characters of the hash of the signed statement.'),
  deputy: z.string(),
  for: z.string().describe('The person for whom the deputy decides.'),
  roles: z.array(z.string()).nullable().describe('Null: all that the key or passkey has that signed it.'),
  agents: z.array(z.string()).nullable(),
  tools: z.array(z.string()).nullable(),
  from: z.string(),
  until: z.string(),
  state: z.enum(['planned', 'active', 'over', 'ended']),
  signed_by: z.string().describe('The `kid` of the key or passkey that signed the statement.'),
  proof: z
    .enum(['signed', 'record'])
    .describe('`record`: only the gateway says so, which does not count where decisions must be signed.'),
  named_at: z.string(),
  named_by: z.string(),
  ended_at: z.string().nullable(),
  ended_by: z.string().nullable(),
});
export type DeputyView = z.infer<typeof deputyView>;

export const deputyList = z.object({ deputies: z.array(deputyView) });

export const deputyAssertion = z.strictObject({
  statement: jsonObject.describe('As the challenge gave it.'),
  response: assertionResponse,
});

export type DeputyAssertion = z.infer<typeof deputyAssertion>;

export const exampleDeputy = {
  id: '5b1c9d20a4e87f36',
  deputy: 'bob',
  for: 'ana',
  roles: ['treasurer'],
  agents: null,
  tools: null,
  from: '2026-12-01T00:00:00.000Z',
  until: '2026-12-15T00:00:00.000Z',
  state: 'planned',
  signed_by: '3f0a9c1d2b4e5f60',
  proof: 'signed',
  named_at: '2026-11-28T09:00:00.000Z',
  named_by: 'ana',
  ended_at: null,
  ended_by: null,
};

export const exampleStatement = {
  statement: { v: 'holdfast.deputy/1', namespace: 'default', deputy: 'bob', for: 'ana', kid: '3f0a9c1d2b4e5f60' },
  options: { challenge: '8XvYw0e1S0R7rW0n8cO4m3Qm9n3uHf8Yb2u1o5r7k4s', rpId: 'desk.example.com', userVerification: 'required' },
};
