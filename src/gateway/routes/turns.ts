/** Turns: started, listed, shown, steered, cancelled. */
import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { StartTurn } from '../../client';
import { signSteer } from '../../client/attest';
import type { TurnHandle } from '../../client/turn-handle';
import { hashJson } from '../../shared/digests';
import { oneTimeKey } from '../../shared/ids';
import { isJsonObject } from '../../shared/json';
import { TURN_STATES, type TurnState } from '../../shared/turn-view';
import { cursorsFor } from '../../tools/cursors';
import { ToolError } from '../../tools/errors';
import { keptCallback } from '../callbacks';
import { Refusal } from '../errors';
import { nothing, once, sentBefore } from '../once';
import { sightOf, type Principal } from '../principals';
import { answers, callbackUrl, exampleSummary, exampleView, postHeaders, turnParams, turnSummary, turnView } from '../schemas';
import { ownSession } from '../visible-session';
import { ownTurn, visibleTurn } from '../visible-turn';
import type { GatewayParts, Route } from '../route';

const STARTERS = ['starter', 'admin'] as const;
const READERS = ['starter', 'approver', 'auditor', 'admin'] as const;
const tags = ['turns'];
const DEFAULT_LIMIT = 50;

const startSchema = {
  summary: 'Start a turn',
  description:
    'Answers at once; the turn goes on by itself. With `Idempotency-Key` the same request again gives the same turn, for as long as Temporal retains it.',
  tags,
  headers: postHeaders,
  body: {
    type: 'object',
    required: ['agent', 'message'],
    additionalProperties: false,
    properties: {
      agent: { type: 'string', minLength: 1, maxLength: 64, description: 'One that the workers serve.' },
      message: { type: 'string', minLength: 1, maxLength: 100_000, pattern: '\\S' },
      session_id: {
        type: 'string',
        pattern: '^[A-Za-z0-9._~-]{1,128}$',
        description:
          'A session of yours that is open: the message waits there for its turn, after those before it, as with /v1/sessions/{id}/messages.',
      },
      callback_url: callbackUrl,
    },
    examples: [{ agent: 'credit-analyst', message: 'Prepare a credit memo for AAPL.' }],
  },
  response: answers(
    {
      202: {
        description: 'It is started.',
        type: 'object',
        required: ['turn_id', 'workflow_id', 'ui_url', 'events_url'],
        properties: {
          turn_id: { type: 'string' },
          workflow_id: { type: 'string' },
          ui_url: { type: ['string', 'null'], description: 'In the Temporal Web UI.' },
          events_url: { type: 'string', description: 'Relative: the stream of its events.' },
        },
        examples: [
          {
            turn_id: 'k_0f4c7b0b2d3e5a6978c1d2e3f4a5b6c7d8e9f0a1',
            workflow_id: 'turn/k_0f4c7b0b2d3e5a6978c1d2e3f4a5b6c7d8e9f0a1',
            ui_url: null,
            events_url: '/v1/turns/k_0f4c7b0b2d3e5a6978c1d2e3f4a5b6c7d8e9f0a1/events',
          },
        ],
      },
    },
    404,
    409,
  ),
};

interface Start {
  Body: { agent: string; message: string; session_id?: string; callback_url?: string };
}

const listSchema = {
  summary: 'List turns and direct calls',
  description:
    'Newest first. A new turn appears here some moments after its start. A page may hold fewer than `limit`; the last one has no `next_cursor`.',
  tags,
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: {
      state: { enum: TURN_STATES },
      agent: { type: 'string', minLength: 1, maxLength: 64 },
      cursor: { type: 'string', maxLength: 4000, description: '`next_cursor` of the page before, for the same filter.' },
      limit: { type: 'integer', minimum: 1, maximum: 200, default: DEFAULT_LIMIT },
    },
  },
  response: answers({
    200: {
      description: 'One page.',
      type: 'object',
      required: ['turns', 'next_cursor'],
      properties: { turns: { type: 'array', items: turnSummary }, next_cursor: { type: ['string', 'null'] } },
      examples: [{ turns: [exampleSummary], next_cursor: null }],
    },
  }),
};

interface List {
  Querystring: { state?: TurnState; agent?: string; cursor?: string; limit: number };
}

const showSchema = {
  summary: 'Show a turn',
  tags,
  params: turnParams,
  response: answers({ 200: { description: 'How it stands.', ...turnView, examples: [exampleView] } }, 404, 409),
};

const cancelSchema = {
  summary: 'Cancel a turn',
  description: 'Running tools first, then the turn; it answers before both have ended.',
  tags,
  params: turnParams,
  headers: postHeaders,
  response: answers(
    {
      202: {
        description: 'It is asked to stop.',
        type: 'object',
        required: ['accepted'],
        properties: { accepted: { const: true } },
        examples: [{ accepted: true }],
      },
    },
    404,
    409,
  ),
};

const steerSchema = {
  summary: 'Say something to the model of a running turn',
  description:
    'It is read before the next step. Whoever says it has a hand in what follows, and under four eyes does not approve it.',
  tags,
  params: turnParams,
  headers: postHeaders,
  body: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: { text: { type: 'string', minLength: 1, maxLength: 4000 } },
    examples: [{ text: 'Leave out the peers.' }],
  },
  response: answers(
    {
      200: {
        description: 'It is taken.',
        type: 'object',
        required: ['accepted', 'by'],
        properties: { accepted: { const: true }, by: { type: 'string' } },
      },
    },
    404,
    409,
  ),
};

interface OfTurn {
  Params: { id: string };
}

export const turns: Route = (app, parts) => {
  app.post<Start>('/v1/turns', { schema: startSchema, config: { roles: STARTERS } }, async (request, reply) => {
    const { principal, operation, body } = request;
    const key = operation?.key ?? oneTimeKey(randomBytes(16).toString('hex'));
    const turn = body.session_id === undefined ? await begun(parts, principal, key, body) : await queued(parts, request);
    const { id: turn_id, workflowId: workflow_id, uiUrl: ui_url } = turn;
    const events_url = `/v1/turns/${encodeURIComponent(turn_id)}/events`;
    return reply.code(202).header('cache-control', 'no-store').send({ turn_id, workflow_id, ui_url, events_url });
  });

  app.get<List>('/v1/turns', { schema: listSchema, config: { roles: READERS } }, async (request, reply) => {
    const { principal, query } = request;
    const { state, agent, cursor, limit } = query;
    const filter = {
      ...(state === undefined ? {} : { state }),
      ...(agent === undefined ? {} : { agent }),
      sight: sightOf(principal),
    };
    const cursors = listCursors(parts, principal, hashJson({ state: state ?? null, agent: agent ?? null }));
    const position = cursor === undefined ? {} : { position: cursors.open(cursor) };
    const page = await (await parts.client()).page(filter, { limit, ...position });
    const next_cursor = page.next === null ? null : cursors.seal(page.next);
    return reply.header('cache-control', 'no-store').send({ turns: page.turns, next_cursor });
  });

  app.get<OfTurn>('/v1/turns/:id', { schema: showSchema, config: { roles: READERS } }, async (request, reply) => {
    const { view } = await visibleTurn(parts, request.principal, request.params.id);
    return reply.header('cache-control', 'no-store').send(await view());
  });

  app.post<OfTurn>(
    '/v1/turns/:id/cancel',
    { schema: cancelSchema, config: { roles: STARTERS, keepsAnswer: true } },
    async (request, reply) => {
      const { turn } = await ownTurn(parts, request.principal, request.params.id);
      await once(request.operation, turn, (named) => named.cancel(), nothing);
      return reply.code(202).header('cache-control', 'no-store').send({ accepted: true });
    },
  );

  app.post<OfTurn & { Body: { text: string } }>(
    '/v1/turns/:id/steer',
    { schema: steerSchema, config: { roles: STARTERS, keepsAnswer: true } },
    async (request, reply) => {
      const { principal, params, body } = request;
      const { turn } = await ownTurn(parts, principal, params.id);
      const { name, roles } = principal;
      const steer = async (named: TurnHandle) => {
        const attestation = await signSteer(named, parts.key, { text: body.text, principal: name, roles: [...roles] });
        await named.steer(body.text, { by: name, attestation });
      };
      await once(request.operation, turn, steer, nothing);
      return reply.header('cache-control', 'no-store').send({ accepted: true, by: name });
    },
  );
};

async function begun(parts: GatewayParts, { name }: Principal, key: string, body: Start['Body']): Promise<TurnHandle> {
  const { agent, message, callback_url } = body;
  const start: StartTurn = { agent, message, id: key, requester: name, ...(await keptCallback(parts, callback_url)) };
  return (await parts.client()).start(start);
}

/** A conversation runs one turn at a time: a turn of it is its next message, and never begins beside it. */
async function queued(
  parts: GatewayParts,
  { principal, operation, body }: Pick<FastifyRequest<Start>, 'principal' | 'operation' | 'body'>,
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
  const { turn_id } = await once(operation, session, (named) => named.send(body.message, more), sentBefore);
  return (await parts.client()).turn(turn_id);
}

/** Cursors of one principal's list: Temporal's own position, sealed with the filter that it belongs to. */
function listCursors({ store }: GatewayParts, { name }: Principal, filter: string) {
  const cursors = cursorsFor(store.derivedKey('http-cursors'), { tool: 'GET /v1/turns', principal: name });
  const message = 'This cursor was not given for this list, or it was changed.';
  const hint = 'Use next_cursor exactly as the page before gave it, with the same filter; or leave cursor out to begin anew.';
  const bad = () => new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_cursor', message, hint });
  return {
    seal: (position: Uint8Array) => cursors.seal({ filter, position: Buffer.from(position).toString('base64') }),
    open: (cursor: string): Uint8Array => {
      try {
        const sealed = cursors.open(cursor);
        if (isJsonObject(sealed) && sealed.filter === filter) return Buffer.from(sealed.position as string, 'base64');
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
      throw bad();
    },
  };
}
