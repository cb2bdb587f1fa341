/** `/a2a/:agent`: A2A clients send messages to an agent, over JSON-RPC; and the card that says how. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ROLES, type Principal } from '../../gateway/auth/principals';
import { answerWith, Refusal, wrongOf } from '../../gateway/http/errors';
import { PackageMissing } from '../../optional-package';
import type { GatewayParts, Route } from '../../gateway/route';
import { agentName, answer, answers, body, jsonSchema } from '../../gateway/schemas/common';
import { SseConnection, streamLimits, TOKEN_OVER } from '../../gateway/streams/connection';
import { STREAM_SETTINGS } from '../../gateway/streams/settings';
import { isJsonObject, type Json } from '../../shared/json/json';
import { agentCard } from './agent-card';
import { rpcError, withoutFault } from './errors';
import { TurnTasks } from './handler';
import { sdk, type AgentCard } from './sdk';

const params = z.object({ agent: agentName });
const rpcBody = z.looseObject({
  jsonrpc: z.literal('2.0'),
  method: z
    .string()
    .max(100)
    .describe('`SendMessage`, `SendStreamingMessage`, `GetTask`, `CancelTask`, `SubscribeToTask`, `ListTasks`…'),
  id: z.union([z.string().max(255), z.number(), z.null()]).optional(),
  params: z.unknown().optional(),
});
const rpcAnswer = z.looseObject({ jsonrpc: z.literal('2.0') });
const card = z.looseObject({ name: z.string(), version: z.string() });

const rootSchema = {
  summary: 'The A2A card of the only agent',
  description: 'Where A2A clients reach it, and its skills: the tools that you can reach. docs/a2a.md.',
  tags: ['protocols'],
  response: answers({ 200: answer('The card.', card, { name: 'credit-analyst', version: '0.1.0' }) }, 404),
};
const cardSchema = { ...rootSchema, summary: 'The A2A card of an agent', params: jsonSchema(params) };

const rpc = (description: string) => answer(description, rpcAnswer, { jsonrpc: '2.0', id: 1, result: {} });
const rpcErrors = Object.fromEntries(
  [400, 401, 403, 404, 408, 413, 414, 415, 429, 431, 500, 501, 503].map((status) => [
    status,
    rpc('An error, in the form of JSON-RPC.'),
  ]),
);
const rpcSchema = {
  summary: 'A request of an A2A client',
  description:
    'JSON-RPC of A2A 1.0. A task is a turn, a context a session; what waits for a person makes a task `input-required`, with the card as a data part, and a message with a data part `{"decision": …}` decides, which takes the role `approver`. Streams are server-sent events. docs/a2a.md.',
  tags: ['protocols'],
  params: jsonSchema(params),
  body: body(rpcBody, {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Pay INV-7' }] } },
  }),
  response: { ...rpcErrors, 200: rpc('The answer, or the error of the request.') },
};

interface OfAgent {
  Params: z.infer<typeof params>;
}

export const a2a: Route = (app, parts) => {
  app.get<OfAgent>(
    '/a2a/:agent/.well-known/agent-card.json',
    { schema: cardSchema, config: { roles: ROLES } },
    async (request, reply) =>
      reply
        .header('cache-control', 'private, no-store')
        .send(sdk.types().AgentCard.toJSON(await cardOf(parts, request, request.params.agent))),
  );

  app.get('/.well-known/agent-card.json', { schema: rootSchema, config: { roles: ROLES } }, async (request, reply) => {
    const [only, ...others] = [...(await agentsOf(parts))];
    if (only === undefined || others.length > 0) throw new Refusal(SEVERAL);
    return reply
      .header('cache-control', 'private, no-store')
      .send(sdk.types().AgentCard.toJSON(await cardOf(parts, request, only)));
  });

  const settings = { ...STREAM_SETTINGS, ...parts.streams };
  const limits = streamLimits(parts);
  app.post<OfAgent & { Body: Json }>(
    '/a2a/:agent',
    {
      schema: rpcSchema,
      config: { roles: ['starter', 'approver', 'admin'] },
      errorHandler: (error, request, reply) => void answerError(parts, error, request, reply),
    },
    async (request, reply) => {
      const { principal, params } = request;
      checkVersion(request.headers['a2a-version']);
      const card = await cardOf(parts, request, params.agent);
      // A request that waits for its task counts like a stream.
      const leave = limits.take(principal.name);
      const connection = new SseConnection(reply, settings, app.draining);
      try {
        const handler = new TurnTasks(parts, { principal, agent: params.agent, signal: connection.signal, card });
        const answered = await handle(handler, request);
        if (!(Symbol.asyncIterator in answered))
          return await reply.header('cache-control', 'no-store').send(withoutFault(answered));
        await streamAnswers(parts, answered, connection, request);
      } finally {
        connection.end();
        leave();
      }
      return reply;
    },
  );
};

type Answers = Awaited<ReturnType<InstanceType<ReturnType<typeof sdk.server>['JsonRpcTransportHandler']>['handle']>>;

function handle(handler: TurnTasks, { body, principal }: FastifyRequest<{ Body: Json }>): Promise<Answers> {
  const { JsonRpcTransportHandler, ServerCallContext } = sdk.server();
  const context = new ServerCallContext({ user: { isAuthenticated: true, userName: principal.name } });
  return new JsonRpcTransportHandler(handler).handle(isJsonObject(body) ? body : {}, context);
}

/** An error before the first event is an answer, not a stream. */
async function streamAnswers(
  { log }: GatewayParts,
  answers: Extract<Answers, AsyncGenerator>,
  connection: SseConnection,
  request: FastifyRequest,
): Promise<void> {
  let isOpen = false;
  const failure = (error: unknown) => ({ event: 'error', id: null, data: rpcError(error, log, idOf(request)).body });
  try {
    for await (const data of answers) {
      if (!isOpen) connection.open(failure(new Refusal(TOKEN_OVER)));
      isOpen = true;
      await connection.send({ event: null, id: null, data });
    }
  } catch (error) {
    if (!isOpen) throw error;
    await connection.send(failure(error));
  }
}

/** Absent: the version that this gateway speaks. */
function checkVersion(header: string | string[] | undefined): void {
  const { A2A_PROTOCOL_VERSION } = sdk.types();
  const { VersionNotSupportedError } = sdk.errors();
  if (header !== undefined && header !== '' && header !== A2A_PROTOCOL_VERSION)
    throw new VersionNotSupportedError(`This gateway speaks A2A ${A2A_PROTOCOL_VERSION}: send the header A2A-Version with it.`);
}

/** Every error of the route, also of a request that is no JSON or has no token, in the form of JSON-RPC. */
function answerError(parts: GatewayParts, error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof PackageMissing) return answerWith(reply, wrongOf(error)!); // the package says what such errors look like
  const { status, body, headers } = rpcError(error, parts.log, idOf(request));
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store' })
    .send(body);
}

function idOf({ body }: FastifyRequest): string | number | null {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The agents of the app. Empty if the gateway does not know its app. */
async function agentsOf(parts: GatewayParts): Promise<Set<string>> {
  return new Set((await parts.catalogue?.())?.all().flatMap(({ agents }) => agents));
}

/** @throws Refusal 404 for an agent that the app does not have */
async function cardOf(
  parts: GatewayParts,
  request: FastifyRequest & { principal: Principal },
  agent: string,
): Promise<AgentCard> {
  const catalogue = await parts.catalogue?.();
  if (catalogue !== undefined && !(await agentsOf(parts)).has(agent))
    throw new Refusal({
      code: 'RESOURCE_NOT_FOUND',
      reason: 'unknown_agent',
      message: `There is no agent ${JSON.stringify(agent)} here.`,
    });
  const publicUrl = parts.publicUrl ?? `${request.protocol}://${request.host}`;
  return agentCard({ agent, publicUrl, tools: catalogue?.callable(request.principal.name) ?? [] });
}

const SEVERAL = {
  code: 'RESOURCE_NOT_FOUND',
  reason: 'several_agents',
  message: 'This gateway does not have exactly one agent.',
  hint: 'Each agent has its own card: /a2a/AGENT/.well-known/agent-card.json.',
} as const;
