/**
 * The routes by which people name deputies, see them and end their period. What is kept here makes nobody a deputy where decisions must
 * be signed: there the statement in the decision must be signed by the person, or by an enroller, and workers check that themselves.
 */
import { z } from 'zod';
import { sees, type Principal } from '../gateway/auth/principals';
import { Refusal } from '../gateway/http/errors';
import type { Route } from '../gateway/route';
import { acceptedAnswer, answer, answers, body, jsonSchema, type Acceptance } from '../gateway/schemas/common';
import { enrolledPasskey, requestOptions, rolesOf } from '../passkeys/decision';
import { deputyAssertion, deputyFields, deputyList, deputyView, exampleDeputy, exampleStatement } from '../shapes/deputy';
import { jsonObject } from '../shapes/envelope';
import { samePerson } from '../shared/approval/approval';
import { asJson, type JsonObject } from '../shared/json/json';
import { aboutDeputy, forPasskey, mayBring, recordOf, refusal, signedByPasskey, type Naming } from './naming';
import { DeputyRegister, type StoredDeputyship } from './register';
import { viewOfDeputy } from './view';

const NAMING = { deputy: 'bob', from: '2026-12-01T00:00:00Z', until: '2026-12-15T00:00:00Z', roles: ['treasurer'] };

const challengeBody = z.strictObject(deputyFields);
const challengeReply = z.object({
  statement: jsonObject.describe('What is signed (`holdfast.deputy/1`); it comes back unchanged.'),
  options: jsonObject.describe('The `PublicKeyCredentialRequestOptions` for `navigator.credentials.get()`, as JSON.'),
});
const challengeSchema = {
  summary: 'Begin to name a deputy with a passkey',
  description: 'Makes the statement. Its SHA-256 is the challenge that your passkey signs. Send both to `/v1/deputies`.',
  tags: ['deputies'],
  body: body(challengeBody, NAMING),
  response: answers({ 200: answer('What the passkey is to sign.', challengeReply, exampleStatement) }, 409),
};

const namingBody = z.strictObject({
  ...deputyFields,
  signed: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,4096}$/)
    .optional()
    .describe('Instead of the other fields: a statement as `holdfast deputies add` signs it.'),
  passkey: deputyAssertion.optional().describe('Instead of the other fields: what your passkey signed, after `…/challenge`.'),
});
const namingSchema = {
  summary: 'Name a deputy, for yourself and for a period',
  description:
    'With a statement that your key or passkey signed. Without one the gateway records it in your name, which does not count for calls that take signed decisions only. An admin may bring what an enroller signed for somebody who is absent.',
  tags: ['deputies'],
  body: body(namingBody, NAMING),
  response: answers({ 200: answer('The deputy.', deputyView, exampleDeputy) }, 409),
};

const listSchema = (summary: string) => ({
  summary,
  tags: ['deputies'],
  response: answers({ 200: answer('The deputies.', deputyList, { deputies: [exampleDeputy] }) }),
});

const endSchema = {
  summary: 'End the period of a deputy before its time',
  description: 'By the person, by the deputy, or by an admin. It counts at once, also for what was approved and has not run.',
  tags: ['deputies'],
  params: jsonSchema(
    z.object({
      id: z
        .string()
        .regex(/^[0-9a-f]{16}$/)
        .describe('The id of a deputy’s statement.'),
    }),
  ),
  response: answers({ 200: acceptedAnswer('It is ended.') }, 404),
};

export const deputies: Route = (app, parts) => {
  const register = new DeputyRegister(parts.store);
  const namespace = async () => (await parts.client()).temporal.options.namespace;

  app.post<{ Body: Naming; Reply: z.infer<typeof challengeReply> }>(
    '/v1/deputies/challenge',
    { schema: challengeSchema, config: { roles: ['approver'] } },
    async ({ principal, body: naming }, reply) => {
      const { passkey, signed } = await enrolledPasskey(parts, principal, null);
      const about = aboutDeputy(naming, principal, rolesOf(principal, signed), await namespace());
      const { statement, challenge } = forPasskey(about, passkey.kid, signed);
      const options = requestOptions(passkey, challenge);
      return reply.header('cache-control', 'no-store').send({ statement: asJson({ ...statement }) as JsonObject, options });
    },
  );

  app.post<{ Body: z.infer<typeof namingBody>; Reply: z.infer<typeof deputyView> }>(
    '/v1/deputies',
    { schema: namingSchema, config: { roles: ['approver', 'admin'] } },
    async ({ principal, body: { signed, passkey, ...naming } }, reply) => {
      const ways = [signed, passkey, Object.keys(naming).length === 0 ? undefined : naming];
      if (ways.filter((one) => one !== undefined).length !== 1)
        throw refusal('send either a signed statement, or what a passkey signed, or the fields of a deputy');
      const here = await namespace();
      if (signed === undefined && !principal.roles.includes('approver')) throw refusal('only an approver names a deputy');
      const text =
        signed ??
        (passkey === undefined
          ? recordOf(aboutDeputy(naming, principal, principal.roles, here), parts)
          : await signedByPasskey(parts, principal, passkey));
      if (signed !== undefined || passkey !== undefined) await mayBring(text, principal, here, parts);
      const fault = await register.add(text, principal.name);
      if (fault !== null) throw refusal(fault);
      const stored = (await register.all()).find((one) => one.text === text);
      if (stored === undefined) throw refusal('it was removed in the meantime');
      return reply.header('cache-control', 'no-store').send(viewOfDeputy(stored));
    },
  );

  app.get<{ Reply: z.infer<typeof deputyList> }>(
    '/v1/deputies',
    { schema: listSchema('Your deputies, and those for whom you are one'), config: { roles: ['approver'] } },
    async ({ principal: { name } }, reply) => {
      const own = await register.all((one) => samePerson(one.for, name) || samePerson(one.deputy, name));
      return reply.header('cache-control', 'no-store').send({ deputies: own.map(viewOfDeputy) });
    },
  );

  app.get<{ Reply: z.infer<typeof deputyList> }>(
    '/v1/deputies/everyone',
    { schema: listSchema('The deputies of all people'), config: { roles: ['admin'] } },
    async ({ principal }, reply) => {
      const visible = await register.all((one) => sees(principal, one.for));
      return reply.header('cache-control', 'no-store').send({ deputies: visible.map(viewOfDeputy) });
    },
  );

  app.delete<{ Params: { id: string }; Reply: Acceptance }>(
    '/v1/deputies/:id',
    { schema: endSchema, config: { roles: ['approver', 'admin'] } },
    async ({ principal, params }, reply) => {
      const found = await register.find(params.id);
      if (found === null || !mayEnd(found, principal)) throw unknown(params.id);
      await register.end(found, principal.name);
      return reply.header('cache-control', 'no-store').send({ accepted: true });
    },
  );
};

function mayEnd({ signed: { deputyship } }: StoredDeputyship, principal: Principal): boolean {
  const isParty = [deputyship.for, deputyship.deputy].some((one) => samePerson(one, principal.name));
  return isParty || (principal.roles.includes('admin') && sees(principal, deputyship.for));
}

function unknown(id: string): Refusal {
  return new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_deputy', message: `There is no deputy ${id}.` });
}
