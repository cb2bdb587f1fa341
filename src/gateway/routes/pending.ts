/** `GET /v1/pending`: what waits for a person. */
import type { Route } from '../app';
import { sightOf } from '../principals';
import { answers, examplePending, pendingTurn } from '../schemas';

const schema = {
  summary: 'What waits for a person',
  description:
    'Turns and direct calls in which a call waits for approval, or is in doubt. Their workers tell the calls; where none answers for five seconds, `unreachable` says why, and the rest is what Temporal knows.',
  tags: ['turns'],
  response: answers({
    200: {
      type: 'object',
      required: ['turns'],
      properties: { turns: { type: 'array', items: pendingTurn } },
      examples: [{ turns: [examplePending] }],
    },
  }),
};

export const pending: Route = (app, { client }) => {
  app.get('/v1/pending', { schema, config: { roles: ['approver', 'auditor', 'admin'] } }, async (request, reply) => {
    const turns = await (await client()).pending({ sight: sightOf(request.principal) });
    return reply.header('cache-control', 'no-store').send({ turns });
  });
};
