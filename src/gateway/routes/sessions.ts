/** Routes of sessions: open, fork, send a message, steer, rename, list, show, interrupt, resume, close. */
import { findTurnOfBlock } from '../../store/core/transcript';
import { StoreError } from '../../store/store';
import type { SendAnswer, SessionView } from '../../shared/turn/session';
import { ForkRefused } from '../../client/errors';
import type { SessionHandle } from '../../client/sessions/session-handle';
import { MESSAGE_BODY_BYTES, messageOf } from '../files';
import { Refusal } from '../http/errors';
import { type Operation, nothing, once, sentBefore } from '../http/idempotency';
import { sees, visibilityOf, type Principal } from '../auth/principals';
import {
  sessionSchemas as schemas,
  type ForkSession,
  type ListSessions,
  type OpenSession,
  type RenameSession,
  type SayToSession,
  type SendReceipt,
  type ShownSession,
  type ShowSession,
  type SteerSession,
  type StopSession,
} from '../schemas/sessions';
import { keptCallback, steerAs } from './turns';
import { changeableSession, ownSession, ownTurn, visibleSession } from '../auth/turn-session-access';
import type { GatewayParts, Route } from '../route';
import { optional } from '../../shared/json/optional';

const STARTERS = ['starter', 'admin'] as const;
const READERS = ['starter', 'approver', 'auditor', 'admin'] as const;

export const sessions: Route = (app, parts) => {
  const changeable = (request: { principal: Principal; params: { id: string } }) =>
    changeableSession(parts, request.principal, request.params.id);
  const start = { config: { roles: STARTERS, startsWork: true }, bodyLimit: MESSAGE_BODY_BYTES };
  const options = { config: { roles: STARTERS, keepsAnswer: true } };

  app.post<OpenSession>('/v1/sessions', { schema: schemas.open, ...start }, async (request, reply) => {
    const { message: input, ...opening } = request.body;
    // Before anything is opened: a message that is not taken opens nothing.
    const first = input === undefined ? undefined : await messageOf(parts.store, request.principal.name, input);
    const holdfast = await parts.client();
    const { operation } = request;
    const session = await holdfast.openSession({
      ...opening,
      requester: request.principal.name,
      ...(operation ? { id: operation.id } : {}),
    });
    if (first !== undefined) {
      const send = (handle: SessionHandle) => handle.send(first, { id: operation?.id ?? 'first' });
      await once<SessionHandle, SendAnswer>(operation, session, send, sentBefore);
    }
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send(withoutRunId(await session.status()));
  });

  app.get<ListSessions>('/v1/sessions', { schema: schemas.list, config: { roles: READERS } }, async (request, reply) => {
    const summaries = [];
    const { limit, agent: of } = request.query;
    const filter = { sight: visibilityOf(request.principal), limit, ...optional({ agent: of }) };
    for await (const one of (await parts.client()).sessions(filter)) summaries.push(one);
    return reply.header('cache-control', 'no-store').send({ sessions: summaries });
  });

  app.get<ShowSession>('/v1/sessions/:id', { schema: schemas.show, config: { roles: READERS } }, async (request, reply) => {
    const { session } = await visibleSession(parts, request.principal, request.params.id);
    return reply.header('cache-control', 'no-store').send(withoutRunId(await session.status()));
  });

  app.post<SayToSession>('/v1/sessions/:id/messages', { schema: schemas.say, ...start }, async (request, reply) => {
    const { session } = await ownSession(parts, request.principal, request.params.id);
    const { message: input, resume, callback_url } = request.body;
    const message = await messageOf(parts.store, request.principal.name, input);
    const { operation } = request;
    const more = { ...(operation ? { id: operation.id } : {}), ...(await keptCallback(parts, callback_url)) };
    const send = (handle: SessionHandle) => (resume ? handle.resume(message, more) : handle.send(message, more));
    const answer = await once<SessionHandle, SendAnswer>(operation, session, send, sentBefore);
    return reply.code(202).header('cache-control', 'no-store').send(sentOf(session, answer));
  });

  app.post<SteerSession>('/v1/sessions/:id/steer', { schema: schemas.steer, ...options }, async (request, reply) => {
    const { session } = await changeable(request);
    const { operation, body, principal } = request;
    // A session that somebody made up can name any turn.
    const { turn } = await ownTurn(parts, principal, await findSteerTarget(session, operation));
    await once(operation, turn, (handle) => steerAs(handle, parts.key, principal, body.text), nothing);
    return reply.code(202).send({ turn_id: turn.id });
  });

  app.post<StopSession>('/v1/sessions/:id/interrupt', { schema: schemas.interrupt, ...options }, async (request, reply) => {
    const { session } = await changeable(request);
    await once(request.operation, session, (handle) => handle.interrupt({ by: request.principal.name }), nothing);
    return reply.code(202).send({ accepted: true });
  });

  app.post<RenameSession>('/v1/sessions/:id/rename', { schema: schemas.rename, ...options }, async (request, reply) => {
    const { session } = await changeable(request);
    await once(request.operation, session, (handle) => handle.rename(request.body.title), nothing);
    return reply.send({ accepted: true });
  });

  app.post<StopSession>('/v1/sessions/:id/close', { schema: schemas.close, ...options }, async (request, reply) => {
    const { session } = await changeable(request);
    await once(request.operation, session, (handle) => handle.close({ by: request.principal.name }), nothing);
    return reply.code(202).send({ accepted: true });
  });

  app.post<ForkSession>('/v1/forks', { schema: schemas.fork, ...start }, async (request, reply) => {
    const { principal, operation } = request;
    await visibleBlock(parts, principal, request.body.from);
    const forkRequest = { ...request.body, requester: principal.name, of: null, ...(operation ? { id: operation.id } : {}) };
    const session = await (await parts.client()).fork(forkRequest).catch((error: unknown) => {
      if (error instanceof ForkRefused)
        throw new Refusal({ code: 'CONFIRMATION_REQUIRED', reason: 'cannot_be_cut_there', message: error.message });
      throw error;
    });
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send(withoutRunId(await session.status()));
  });
};

/** The running turn, which gets the text; the same for all requests of one operation. @throws Refusal 409 */
async function findSteerTarget(session: SessionHandle, operation: Operation | null): Promise<string> {
  const { running } = operation?.target === undefined ? await session.status() : { running: { turn_id: operation.target } };
  if (!running)
    throw new Refusal({
      code: 'CONFIRMATION_REQUIRED',
      reason: 'not_accepted',
      message: 'No turn runs; send a message instead.',
    });
  return operation === null ? running.turn_id : operation.agreeOn(running.turn_id);
}

/** A block can be used only through a turn that the principal may see. @throws Refusal 404 */
async function visibleBlock({ store }: GatewayParts, principal: Principal, block: string): Promise<void> {
  const turn = await findTurnOfBlock(store, block).catch((error: unknown) => {
    if (error instanceof StoreError) return null;
    throw error;
  });
  if (turn !== null && sees(principal, turn.requester)) return;
  throw new Refusal({
    code: 'RESOURCE_NOT_FOUND',
    reason: 'unknown_block',
    message: `There is no block ${block} that you may see.`,
  });
}

function withoutRunId({ run_id: _, ...view }: SessionView): ShownSession {
  return view;
}

function sentOf(session: SessionHandle, { turn_id, ahead }: SendAnswer): SendReceipt {
  return { session_id: session.id, turn_id, ahead, events_url: `/v1/turns/${turn_id}/events` };
}
