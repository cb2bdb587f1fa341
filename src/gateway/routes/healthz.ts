import { z } from 'zod';
import { answer } from '../schemas/answers';
import type { Route } from '../route';

const alive = z.object({ alive: z.literal(true), pid: z.number().int() });

const schema = {
  summary: 'Whether this process is alive',
  tags: ['operation'],
  response: {
    200: answer('It answers.', alive, { alive: true, pid: 4242 }),
  },
};

/** `GET /healthz`: answers while the event loop turns. */
export const healthz: Route = (app) => {
  app.get<{ Reply: z.infer<typeof alive> }>(
    '/healthz',
    { schema, config: { roles: 'public', rateLimit: false } },
    async (_request, reply) => reply.header('cache-control', 'no-store').send({ alive: true, pid: process.pid }),
  );
};
