/** A path that is there, asked by a method that it does not have: 405, with those that it has. */
import type { FastifyInstance } from 'fastify';
import { Refusal } from './errors';

export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = new Map<string, { like: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return; // takes whatever comes
    const known = paths.get(url) ?? { like: likeIt(url), methods: new Set() };
    for (const one of [method].flat()) known.methods.add(one);
    paths.set(url, known);
  });
  // Before the body: of a method that is not there nobody asks how its body looks.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?')[0]!;
    const methods = [...paths.values()].flatMap(({ like, methods }) => (like.test(path) ? [...methods] : []));
    if (methods.length === 0) return;
    const allowed = [...new Set(methods)].sort().join(', ');
    void reply.header('allow', allowed);
    const message = `${request.method} is not for this path; it takes ${allowed}.`;
    throw new Refusal({ code: 'INVALID_PARAMS', reason: 'method_not_allowed', message, status: 405 });
  });
}

/** `/v1/turns/:id` is like `/v1/turns/foo`. */
function likeIt(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
