/**
 * `POST /v1/completions/:token`: takes the result of a call that ends later (`ctx.later`). The token is all that the sender needs, so the
 * answer says nothing of the call but whether it has ended with this result.
 */
import { z } from 'zod';
import { enforceLimit, limitWrong } from '../gateway/http/before-routes';
import { Refusal } from '../gateway/http/errors';
import type { Route } from '../gateway/route';
import { answer, answers, body, jsonSchema } from '../gateway/schemas/common';
import type { Json } from '../shared/json/json';
import { sha256Hex } from '../shared/json/sha256';
import { json } from '../shapes/envelope';
import { complete, UnknownToken } from './complete';
import type { CompletionOutcome } from './token';

const LONGEST_ERROR = 2000;
/** Completions of one call in a minute: each that differs is stored before the turn is asked. */
const MOST_A_MINUTE = 30;

const completion = z.strictObject({
  result: json.optional().describe('The result of the call, by the output schema of its tool.'),
  error: z
    .string()
    .min(1)
    .max(LONGEST_ERROR)
    .optional()
    .describe('Why the work was not done: nothing has happened. Not together with a result.'),
});
const receipt = z.object({ accepted: z.literal(true) });

const schema = {
  summary: 'Complete a call that ends later',
  description:
    'For whoever a tool has handed its work on to. A call is completed once: a later, second or unfit completion is refused with 409, says why, and changes nothing.',
  tags: ['turns'],
  params: jsonSchema(
    z.object({ token: z.string().max(200).describe('The secret part of the address that the tool passed on.') }),
  ),
  body: body(completion, { result: { settled_on: '2026-12-03' } }),
  response: answers({ 200: answer('The call has ended with it.', receipt, { accepted: true }) }, 404, 409),
};

interface Post {
  Params: { token: string };
  Body: z.infer<typeof completion>;
  Reply: z.infer<typeof receipt>;
}

export const completions: Route = (app, parts) => {
  const countWrong = limitWrong(app, 'unknown token');
  const countOfToken = enforceLimit(
    app.createRateLimit({
      max: MOST_A_MINUTE,
      timeWindow: 60_000,
      keyGenerator: (request) => `completion ${sha256Hex((request.params as Post['Params']).token)}`,
    }),
  );
  app.post<Post>('/v1/completions/:token', { schema, config: { roles: 'public' } }, async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    try {
      await complete(parts, request.params.token, outcomeOf(request.body), () => countOfToken(request));
    } catch (error) {
      if (!(error instanceof UnknownToken)) throw error;
      await countWrong(request);
      throw new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_token', message: error.message });
    }
    return reply.send({ accepted: true });
  });
};

/** @throws Refusal */
function outcomeOf({ result, error }: Post['Body']): CompletionOutcome {
  if (result !== undefined && error === undefined) return { result: result as Json };
  if (error !== undefined && result === undefined) return { error };
  throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_completion', message: 'Give either result or error.' });
}
