/**
 * The routes of the stop switch. An admin without a tenant stops anything. An admin of a tenant stops what is done for that tenant, and
 * withdraws approvals of its people: agents and tools serve all tenants.
 */
import { z } from 'zod';
import { sees, type Principal } from '../gateway/auth/principals';
import { Refusal } from '../gateway/http/errors';
import type { Route } from '../gateway/route';
import { acceptedAnswer, answer, answers, body, jsonSchema, type Acceptance } from '../gateway/schemas/common';
import { freezeId, type Freeze, type FrozenScope } from '../record/stop';
import {
  exampleFreeze,
  exampleWithdrawal,
  freezeBody,
  freezeList,
  freezeView,
  withdrawalBody,
  withdrawalView,
  type FreezeView,
  type WithdrawalView,
} from '../shapes/records';
import { samePerson } from '../shared/approval/approval';
import { StopRegister, StopRefusal } from './register';

const listSchema = {
  summary: 'What is frozen',
  description: 'A principal with a tenant does not see the freezes of other tenants.',
  tags: ['operation'],
  response: answers({ 200: answer('The freezes, the oldest first.', freezeList, { freezes: [exampleFreeze] }) }),
};

const freezeSchema = {
  summary: 'Freeze destructive calls',
  description:
    'From a second after the answer on no such call begins. What runs already runs to its end; calls wait, and lose nothing. What is frozen already stays as it is.',
  tags: ['operation'],
  body: body(freezeBody, { scope: 'tool', name: 'send_credit_memo', reason: 'the ledger shows amounts twice' }),
  response: answers({ 200: answer('The freeze.', freezeView, exampleFreeze) }, 409),
};

const unfreezeQuery = z.strictObject({ reason: z.string().min(1).max(1000).optional().describe('Why it ends, for the trail.') });
const unfreezeSchema = {
  summary: 'End a freeze',
  description: 'The calls that wait are checked anew, and run.',
  tags: ['operation'],
  params: jsonSchema(z.object({ id: z.string().regex(/^[0-9a-f]{16}$/).describe('The id of a freeze.') })), // oxfmt-ignore
  querystring: jsonSchema(unfreezeQuery),
  response: answers({ 200: acceptedAnswer('It has ended.') }, 404),
};

const withdrawSchema = {
  summary: 'Withdraw the approvals of a person',
  description:
    'Those that were given until now, of calls that are not dispatched yet: people are asked about these calls again. Later approvals of the person count.',
  tags: ['operation'],
  body: body(withdrawalBody, { approver: 'ana', reason: 'her laptop was stolen' }),
  response: answers({ 200: answer('What was withdrawn.', withdrawalView, exampleWithdrawal) }, 409),
};

export const stop: Route = (app, { store }) => {
  const register = new StopRegister(store);

  app.get<{ Reply: z.infer<typeof freezeList> }>(
    '/v1/freezes',
    { schema: listSchema, config: { roles: ['starter', 'approver', 'auditor', 'admin'] } },
    async ({ principal }, reply) => {
      const freezes = (await register.read()).freezes.filter((one) => mayRead(one, principal));
      return reply.header('cache-control', 'no-store').send({ freezes: freezes.map(viewOfFreeze) });
    },
  );

  app.post<{ Body: z.infer<typeof freezeBody>; Reply: FreezeView }>(
    '/v1/freezes',
    { schema: freezeSchema, config: { roles: ['admin'] } },
    async ({ principal, body: { scope, name = '', reason } }, reply) => {
      if ((scope === 'all') !== (name === '')) throw refusal('everything is frozen without a name, and all else by its name');
      if (!mayFreeze({ scope, name }, principal)) throw refusal('an admin of a tenant freezes that tenant only');
      const { freeze } = await orRefuse(register.freeze({ scope, name }, principal.name, reason));
      return reply.header('cache-control', 'no-store').send(viewOfFreeze(freeze));
    },
  );

  app.delete<{ Params: { id: string }; Querystring: z.infer<typeof unfreezeQuery>; Reply: Acceptance }>(
    '/v1/freezes/:id',
    { schema: unfreezeSchema, config: { roles: ['admin'] } },
    async ({ principal, params: { id }, query: { reason = '' } }, reply) => {
      const found = (await register.read()).freezes.find((one) => freezeId(one) === id);
      if (found === undefined || !mayFreeze(found, principal)) throw unknown(id);
      await orRefuse(register.unfreeze({ scope: found.scope, name: found.name }, principal.name, reason));
      return reply.header('cache-control', 'no-store').send({ accepted: true });
    },
  );

  app.post<{ Body: z.infer<typeof withdrawalBody>; Reply: WithdrawalView }>(
    '/v1/withdrawals',
    { schema: withdrawSchema, config: { roles: ['admin'] } },
    async ({ principal, body: { approver, reason = '' } }, reply) => {
      if (!sees(principal, approver)) throw refusal('an admin of a tenant withdraws approvals of its own people only');
      const withdrawal = await orRefuse(register.withdraw(approver, principal.name, reason));
      return reply.header('cache-control', 'no-store').send(withdrawal);
    },
  );
};

export function viewOfFreeze(freeze: Freeze): FreezeView {
  return { id: freezeId(freeze), ...freeze };
}

function mayFreeze({ scope, name }: FrozenScope, { tenant }: Principal): boolean {
  return tenant === null || (scope === 'tenant' && samePerson(name, tenant));
}

function mayRead(freeze: FrozenScope, principal: Principal): boolean {
  return freeze.scope !== 'tenant' || mayFreeze(freeze, principal);
}

/** @throws Refusal if there is no room */
async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StopRefusal) throw refusal(error.message.replace(/\.$/, ''));
    throw error;
  }
}

function refusal(why: string): Refusal {
  return new Refusal({ code: 'CONFIRMATION_REQUIRED', reason: 'stop_refused', message: `Not done: ${why}.` });
}

function unknown(id: string): Refusal {
  return new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_freeze', message: `There is no freeze ${id}.` });
}
