/**
 * `POST /v1/triggers/:path`: takes deliveries of webhooks. A delivery has no token: its signature says whose it is. One delivery starts
 * one turn, since the turn's id is made of the trigger and of the delivery's id, as for an idempotency key: Temporal starts it once, for
 * all gateways. A register of the store remembers the delivery too, in case Temporal forgets turns sooner than a sender repeats.
 */
import { z } from 'zod';
import type { FastifyRequest } from 'fastify';
import { IdempotencyConflict } from '../client/errors';
import { secretVariable } from '../config/secret-variable';
import { createPrincipal } from '../gateway/auth/principals';
import { bodyText, enforceLimit, limitWrong, startLimit } from '../gateway/http/before-routes';
import { Refusal } from '../gateway/http/errors';
import { operationId } from '../gateway/http/idempotency';
import type { GatewayParts, Route } from '../gateway/route';
import { answer, answers, errorAnswer, jsonSchema } from '../gateway/schemas/common';
import { triggerRequester, turnIdFromKey } from '../shared/ids';
import type { Json, JsonObject } from '../shared/json/json';
import { JsonSyntaxError, parseJson } from '../shared/json/parse-json';
import { errorMessage } from '../shared/text/error-message';
import { MAX_MESSAGE } from '../shared/turn/message';
import { DEFAULT_PER_MINUTE, triggerMessage, type TriggerDefinition, type TriggerDelivery } from './definition';
import type { DeliveryRequest, Verification } from './signatures';

const A_MINUTE = 60_000;
const DELIVERY_ID = /^[\x21-\x7e]{1,255}$/;

const receipt = z.object({
  turn_id: z
    .string()
    .nullable()
    .describe('The same for a delivery that is sent again. Null: the trigger starts no turn for such a delivery.'),
});

const schema = {
  summary: 'Deliver a webhook to a trigger',
  description:
    'For services that send webhooks. The body is JSON, and signed as the trigger says (Standard Webhooks, GitHub, Stripe, Slack, or a scheme of the app). The same delivery again starts nothing, and has the same answer.',
  tags: ['turns'],
  params: jsonSchema(z.object({ path: z.string().max(100).describe('The path of a trigger of the app.') })),
  // What the bytes are is checked after their signature.
  body: { content: { 'application/json': { schema: {} } } },
  response: answers(
    {
      200: answer('The sender asked whether the address is ours (Slack).', z.looseObject({}), { challenge: '3eZbrw1aB' }),
      202: answer('It is taken.', receipt, { turn_id: 'k_5c0d7e9a1f3b2c4d6e8f0a1b2c3d4e5f6a7b8c9d' }),
      401: errorAnswer('The signature is missing, wrong or too old.'),
      422: errorAnswer('The app cannot make a message of this delivery.'),
    },
    404,
  ),
};

interface Post {
  Params: { path: string };
  Body: unknown;
  Reply: z.infer<typeof receipt> | JsonObject;
}

export const triggers: Route = (app, parts) => {
  const countWrong = limitWrong(app, 'wrong signature');
  const limits = new Map<TriggerDefinition, ReturnType<typeof enforceLimit>>();
  const limitOf = (trigger: TriggerDefinition) => {
    const { path, perMinute: max = DEFAULT_PER_MINUTE } = trigger;
    const limit =
      limits.get(trigger) ??
      enforceLimit(app.createRateLimit({ max, timeWindow: A_MINUTE, keyGenerator: () => `trigger ${path}` }));
    limits.set(trigger, limit);
    return limit;
  };

  // In a scope of its own: no other route takes a body as bytes, whatever it says that it is.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, callback) => callback(null, body));
    scope.post<Post>('/v1/triggers/:path', { schema, config: { roles: 'public' } }, async (request, reply) => {
      void reply.header('cache-control', 'no-store');
      const trigger = await triggerOf(parts, request.params.path);
      const delivery = deliveryRequest(request);
      const verification = await verificationOf(parts, trigger, delivery);
      if (verification === null) {
        await countWrong(request);
        parts.log.warn(
          { trigger: trigger.path, todo: WRONG_TODO },
          'a delivery was refused: its signature is missing, wrong or too old',
        );
        throw wrongSignature();
      }
      const requester = triggerRequester(trigger.path);
      request.principal = createPrincipal(requester, []);
      if (typeof verification === 'object') return reply.send(verification.answer);
      const id = verification;
      if (!DELIVERY_ID.test(id)) throw bad('no_delivery_id', 'The delivery has no id of 1 to 255 visible ASCII characters.');
      const body = delivery.json();

      const turn_id = turnIdFromKey(requester, id);
      const register = `trigger/${operationId(requester, id)}`;
      if ((await parts.store.registers.read(register)).value === null) {
        const message = messageOf(parts, trigger, { id, body, headers: delivery.headers });
        if (message === null) return reply.code(202).send({ turn_id: null });
        await limitOf(trigger)(request);
        await startLimit(parts).check();
        await start(parts, { agent: trigger.agent, message, id, requester });
        await parts.store.registers.update(register, (current, now) => ({ value: current ?? { at: now }, answer: null }));
        parts.log.info({ trigger: trigger.path, turn: turn_id }, 'a delivery started a turn');
      }
      return reply.code(202).send({ turn_id });
    });
  });
};

const WRONG_TODO = 'if it is the sender, compare its secret with that of the gateway, and the clocks; else nothing is to be done';

/** @throws Refusal 404 */
async function triggerOf({ catalogue }: GatewayParts, path: string): Promise<TriggerDefinition> {
  const trigger = (await catalogue?.())?.triggers?.find((one) => one.path === path);
  if (trigger !== undefined) return trigger;
  throw new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_trigger', message: 'There is no such trigger.' });
}

function deliveryRequest({ headers: sent, body: bytes }: FastifyRequest): DeliveryRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(sent)) headers[name] = [value ?? ''].flat().join(', ');
  const body = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
  let parsed: { json: Json } | null = null;
  const json = () => {
    try {
      return (parsed ??= { json: parseJson(bodyText(sent, body)) }).json;
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      throw bad('bad_body', `The body is not JSON: ${error.message.slice(0, 200)}`);
    }
  };
  return { headers, body, json };
}

/** @throws Refusal 503 if the gateway has no secret; 400 for a body that has the right signature and is not JSON */
async function verificationOf(
  { log }: GatewayParts,
  { path, verify }: TriggerDefinition,
  request: DeliveryRequest,
): Promise<Verification> {
  try {
    if (typeof verify === 'function') {
      const id: unknown = await verify(request);
      return typeof id === 'string' ? id : null; // a function in JavaScript may return `true`
    }
    const lines = (secretVariable(process.env, verify.secretEnv) ?? '').split('\n');
    const secrets = lines.map((line) => line.trim()).filter((line) => line !== '');
    if (secrets.length > 0) return verify.verify(request, secrets, Date.now());
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const todo = 'the delivery was refused; look at the function or the secret of this trigger';
    log.error({ trigger: path, error: errorMessage(error), todo }, 'the signature of a delivery could not be verified');
    return null;
  }
  const todo = `set ${verify.secretEnv}, or ${verify.secretEnv}_FILE`;
  log.error({ trigger: path, todo }, 'a trigger has no secret, and takes no deliveries');
  const message = 'This trigger takes no deliveries now.';
  throw new Refusal({ code: 'NETWORK_ERROR', reason: 'trigger_not_ready', message, retryAfterMs: A_MINUTE });
}

/** @throws Refusal 422 if the app's function fails; 413 for a message that is too long */
function messageOf({ log }: GatewayParts, trigger: TriggerDefinition, delivery: TriggerDelivery): string | null {
  let message: string | null;
  try {
    message = triggerMessage(trigger, delivery);
    if (message !== null && (typeof message !== 'string' || message.trim() === '')) throw new TypeError('it returned no text');
  } catch (error) {
    const todo = 'mend the function `message` of this trigger in the app: it must take whatever the sender sends';
    log.error({ trigger: trigger.path, error: errorMessage(error), todo }, 'the message of a delivery could not be made');
    const text = 'The app cannot make a message of this delivery.';
    throw new Refusal({ code: 'INVALID_PARAMS', reason: 'no_message', message: text, status: 422 });
  }
  if (message === null || message.length <= MAX_MESSAGE) return message;
  const text = `The message of this delivery has ${message.length} characters; ${MAX_MESSAGE} are allowed.`;
  throw new Refusal({ code: 'INVALID_PARAMS', reason: 'message_too_long', message: text, status: 413 });
}

async function start(
  parts: GatewayParts,
  turn: { agent: string; message: string; id: string; requester: string },
): Promise<void> {
  try {
    await (await parts.client()).start(turn);
  } catch (error) {
    // The delivery came before. That its message was another one then, the first counts.
    if (!(error instanceof IdempotencyConflict)) throw error;
  }
}

function wrongSignature(): Refusal {
  return new Refusal({ code: 'UNAUTHORIZED', reason: 'wrong_signature', message: 'The signature is missing, wrong or too old.' });
}

function bad(reason: string, message: string): Refusal {
  return new Refusal({ code: 'INVALID_PARAMS', reason, message });
}
