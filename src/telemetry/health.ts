/**
 * Serves health checks for Kubernetes, a load balancer or a person with curl. `GET /healthz` answers while the event loop runs:
 * restart the process if it does not. `GET /readyz` answers 200 while the worker can take work, else 503 with what is wrong and
 * what to do; a restart would not help there.
 */
import fastify, { type FastifyInstance } from 'fastify';
import { SITE_HINT, siteFault, type Site } from '../shared/wire/cross-site-check';
import type { Finding } from './readiness';
import { errorMessage } from '../shared/text/error-message';

const REQUEST_TIMEOUT_MS = 5000;
const MAX_BODY_BYTES = 1024;

export function healthApp(look: () => Promise<Finding[]>, site: Site = {}): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true, // a probe that keeps its connection must not keep the process alive
  });
  app.addHook('onRequest', async ({ headers, socket }, reply) => {
    const fault = siteFault(headers, socket.localAddress, site);
    if (fault !== null) return reply.code(403).send({ error: fault, hint: SITE_HINT });
  });
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  app.get('/healthz', () => ({ alive: true, pid: process.pid }));
  app.get('/readyz', async (_request, reply) => {
    const checks = await look();
    const ready = checks.every(({ ok }) => ok);
    return reply.code(ready ? 200 : 503).send({ ready, checks });
  });
  return app;
}

/**
 * @returns a function that closes it
 * @throws HealthUnavailable if the address is in use, or is not one of this machine
 */
export async function serveHealth(
  { host, port }: { host: string; port: number },
  look: () => Promise<Finding[]>,
  site: Site = {},
): Promise<() => Promise<void>> {
  const app = healthApp(look, site);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw new HealthUnavailable(`${host}:${port}`, error);
  }
  return () => app.close();
}

export class HealthUnavailable extends Error {
  override readonly name = 'HealthUnavailable';
  constructor(
    address: string,
    override readonly cause: unknown,
  ) {
    const why = errorMessage(cause);
    super(`Health cannot be served at ${address} (${why}). Set HOLDFAST_HEALTH_PORT to a free port of this machine.`);
  }
}
