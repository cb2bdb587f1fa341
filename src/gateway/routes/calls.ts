/**
 * `GET /v1/turns/:id/calls/:digest`: the input of a call in any of its revisions, from the store. A person who decides on a changed call
 * sees by it what was changed.
 */
import { z } from 'zod';
import { jsonObject } from '../../shapes/envelope';
import { isOf } from '../../record/owner';
import { StoreError } from '../../store/store';
import { visibleTurn } from '../auth/turn-session-access';
import { Refusal } from '../http/errors';
import type { Route } from '../route';
import { answer, answers, jsonSchema } from '../schemas/common';

const READERS = ['starter', 'approver', 'auditor', 'admin'] as const;

const params = z.object({
  id: z.string().max(300).describe('The id of a turn; of a direct call `call/…`, its slash as `%2F`.'),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('The whole digest of a call of the turn.'),
});
const storedCall = z.object({
  digest: z.string(),
  call_id: z.string().describe('`<step>.<index>`.'),
  revision: z.number().int(),
  tool: z.string(),
  version: z.string(),
  input: jsonObject.describe('The whole input.'),
  acts_on: jsonObject.nullable().describe('What the tool acts on besides its input. Null: it declares nothing.'),
});
export type StoredCallView = z.infer<typeof storedCall>;

const DIGEST = '9f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b';
const schema = {
  summary: 'The input of a call',
  description: 'Of any revision that the turn’s view has: of one that was changed, to compare it with the next.',
  tags: ['turns'],
  params: jsonSchema(params),
  response: answers(
    {
      200: answer('As the store has it under its digest.', storedCall, {
        ...{ digest: DIGEST, call_id: '1.1', revision: 1, tool: 'pay_invoice', version: '1.0.0' },
        ...{ input: { invoice: 'INV-7', cents: 125_000 }, acts_on: null },
      }),
    },
    404,
    409,
  ),
};

export const calls: Route = (app, parts) => {
  app.get<{ Params: z.infer<typeof params>; Reply: StoredCallView }>(
    '/v1/turns/:id/calls/:digest',
    { schema, config: { roles: READERS } },
    async ({ principal, params: { id, digest } }, reply) => {
      const { view, owner } = await visibleTurn(parts, principal, id);
      const call = (await view()).calls.find((one) => one.digest === digest);
      if (call === undefined) throw missing(digest);
      const { input, target, record } = await parts.store.getCall(digest).catch((error: unknown) => {
        if (error instanceof StoreError && error.code === 'not_found') throw missing(digest);
        throw error;
      });
      if (!isOf(owner, record)) throw missing(digest);
      const { id: call_id, revision, tool, version } = call;
      return reply.header('cache-control', 'no-store').send({ digest, call_id, revision, tool, version, input, acts_on: target });
    },
  );
};

function missing(digest: string): Refusal {
  const message = `This turn has no call ${digest} whose input the store can show.`;
  return new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_call', message });
}
