import type { Route } from '../route';

const schema = {
  summary: 'Whether this process is alive',
  tags: ['operation'],
  response: {
    200: {
      description: 'It answers.',
      type: 'object',
      required: ['alive', 'pid'],
      properties: { alive: { const: true }, pid: { type: 'integer' } },
      examples: [{ alive: true, pid: 4242 }],
    },
  },
};

/** `GET /healthz`: answers while the event loop turns. */
export const healthz: Route = (app) => {
  app.get('/healthz', { schema, config: { roles: 'public', rateLimit: false } }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ alive: true, pid: process.pid }),
  );
};
