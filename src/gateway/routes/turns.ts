/** Routes for turns: start, list, show, steer, cancel. */
import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { SigningKey } from '../../attestation/signing-key';
import { signSteer } from '../../client/approvals/attest';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { hashJson } from '../../shared/json/digests';
import { oneTimeKey } from '../../shared/ids';
import { isJsonObject } from '../../shared/json/json';
import { cursorsFor } from '../../tools/results/pages';
import { ToolError } from '../../tools/define/errors';
import { MESSAGE_BODY_BYTES, messageOf } from '../files';
import type { CallbackConfig } from '../../config/gateway';
import { callbackHost } from '../../shared/wire/callback';
import type { Store } from '../../store/store';
import { Refusal } from '../http/errors';
import { nothing, once, sentBefore } from '../http/idempotency';
import { visibilityOf, type Principal } from '../auth/principals';
import {
  turnSchemas as schemas,
  type CancelTurn,
  type ListTurns,
  type ShowTurn,
  type StartTurn,
  type SteerTurn,
} from '../schemas/turns';
import { ownSession, ownTurn, visibleTurn } from '../auth/turn-session-access';
import type { GatewayParts, Route } from '../route';
import { optional } from '../../shared/json/optional';

const STARTERS = ['starter', 'admin'] as const;
const READERS = ['starter', 'approver', 'auditor', 'admin'] as const;
export const turns: Route = (app, parts) => {
  app.post<StartTurn>(
    '/v1/turns',
    { schema: schemas.start, config: { roles: STARTERS, startsWork: true }, bodyLimit: MESSAGE_BODY_BYTES },
    async (request, reply) => {
      const { principal, operation, body } = request;
      const key = operation?.key ?? oneTimeKey(randomBytes(16).toString('hex'));
      const turn =
        body.session_id === undefined ? await startTurn(parts, principal, key, body) : await sendToSession(parts, request);
      const { id: turn_id, workflowId: workflow_id, uiUrl: ui_url } = turn;
      const events_url = `/v1/turns/${encodeURIComponent(turn_id)}/events`;
      return reply.code(202).header('cache-control', 'no-store').send({ turn_id, workflow_id, ui_url, events_url });
    },
  );

  app.get<ListTurns>('/v1/turns', { schema: schemas.list, config: { roles: READERS } }, async (request, reply) => {
    const { principal, query } = request;
    const { state, agent, cursor, limit } = query;
    const filter = {
      ...optional({ state, agent }),
      sight: visibilityOf(principal),
    };
    const cursors = listCursors(parts, principal, hashJson({ state: state ?? null, agent: agent ?? null }));
    const position = cursor === undefined ? {} : { position: cursors.open(cursor) };
    const page = await (await parts.client()).page(filter, { limit, ...position });
    const next_cursor = page.next === null ? null : cursors.seal(page.next);
    return reply.header('cache-control', 'no-store').send({ turns: page.turns, next_cursor });
  });

  app.get<ShowTurn>('/v1/turns/:id', { schema: schemas.show, config: { roles: READERS } }, async (request, reply) => {
    const { turn, view } = await visibleTurn(parts, request.principal, request.params.id);
    const status = await view();
    const waiting = status.pending.length === 0 ? [] : (await turn.waiting(status)).questions;
    return reply.header('cache-control', 'no-store').send({ ...status, waiting });
  });

  app.post<CancelTurn>(
    '/v1/turns/:id/cancel',
    { schema: schemas.cancel, config: { roles: STARTERS, keepsAnswer: true } },
    async (request, reply) => {
      const { turn } = await ownTurn(parts, request.principal, request.params.id);
      await once(request.operation, turn, (handle) => handle.cancel(), nothing);
      return reply.code(202).header('cache-control', 'no-store').send({ accepted: true });
    },
  );

  app.post<SteerTurn>(
    '/v1/turns/:id/steer',
    { schema: schemas.steer, config: { roles: STARTERS, keepsAnswer: true } },
    async (request, reply) => {
      const { principal, params, body } = request;
      const { turn } = await ownTurn(parts, principal, params.id);
      await once(request.operation, turn, (handle) => steerAs(handle, parts.key, principal, body.text), nothing);
      return reply.header('cache-control', 'no-store').send({ accepted: true, by: principal.name });
    },
  );
};

/** Signs a principal's message to a running turn, and sends it. @throws DecisionNotAccepted with the reason */
export async function steerAs(turn: TurnHandle, key: SigningKey, { name, roles }: Principal, text: string): Promise<void> {
  const attestation = await signSteer(turn, key, { text, principal: name, roles: [...roles] });
  await turn.steer(text, { by: name, attestation });
}

async function startTurn(parts: GatewayParts, { name }: Principal, key: string, body: StartTurn['Body']): Promise<TurnHandle> {
  const { agent, callback_url } = body;
  const message = await messageOf(parts.store, name, body.message);
  const callback = await keptCallback(parts, callback_url);
  return (await parts.client()).start({ agent, message, id: key, requester: name, ...callback });
}

/** A session runs one turn at a time: a turn of it is its next message, and never starts beside another. */
async function sendToSession(
  parts: GatewayParts,
  { principal, operation, body }: Pick<FastifyRequest<StartTurn>, 'principal' | 'operation' | 'body'>,
): Promise<TurnHandle> {
  const { session, summary } = await ownSession(parts, principal, body.session_id!);
  if (summary.agent !== body.agent)
    throw new Refusal({
      code: 'INVALID_PARAMS',
      reason: 'another_agent',
      message: `The session is of agent ${summary.agent}, not of ${JSON.stringify(body.agent)}.`,
      status: 409,
    });
  const more = { ...(operation ? { id: operation.id } : {}), ...(await keptCallback(parts, body.callback_url)) };
  const message = await messageOf(parts.store, principal.name, body.message);
  const { turn_id } = await once(operation, session, (handle) => handle.send(message, more), sentBefore);
  return (await parts.client()).turn(turn_id);
}

/** Cursors of one principal's list: Temporal's page position, sealed with the filter that it belongs to. */
function listCursors({ store }: GatewayParts, { name }: Principal, filter: string) {
  const cursors = cursorsFor(store.derivedKey('http-cursors'), { tool: 'GET /v1/turns', principal: name });
  const message = 'This cursor was not given for this list, or it was changed.';
  const hint = 'Use next_cursor exactly as the page before gave it, with the same filter; or leave cursor out to begin anew.';
  const bad = () => new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_cursor', message, hint });
  return {
    seal: (position: Uint8Array) => cursors.seal({ filter, position: Buffer.from(position).toString('base64') }),
    open: (cursor: string): Uint8Array => {
      try {
        const content = cursors.open(cursor);
        if (isJsonObject(content) && content.filter === filter) return Buffer.from(content.position as string, 'base64');
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
      throw bad();
    },
  };
}

// Callback addresses are kept in the store, since many services put a key into such an address.

function callbackAddress(url: string, settings: CallbackConfig | null): string {
  const fault = settings === null ? 'this gateway allows no callbacks' : callbackHost(url, settings.hosts);
  if (typeof fault !== 'string') return url;
  const hint = 'The operator of the gateway allows hosts with HOLDFAST_CALLBACK_HOSTS.';
  throw new Refusal({
    code: 'INVALID_PARAMS',
    reason: 'callback_not_allowed',
    message: `callback_url may not be used: ${fault}.`,
    hint,
  });
}

/**
 * The start option with the part that holds the address.
 * @throws Refusal 400 if the address is not allowed
 */
export async function keptCallback(
  { store, callbacks = null }: { store: Store; callbacks?: CallbackConfig | null },
  url: string | undefined,
): Promise<{ callbackRef?: string }> {
  if (url === undefined) return {};
  const address = callbackAddress(url, callbacks);
  return { callbackRef: await store.putPart('callback', { v: 'holdfast.callback/1', url: address }) };
}
