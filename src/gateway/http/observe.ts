/** What is known of each request afterwards: a line, two metrics, its id in the answer. Of an address only its route: the rest may be a secret. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ToolLogger } from '../../tools/define/tool';
import type { HttpMetrics } from './http-metrics';

const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

export function observeRequests(app: FastifyInstance, log: ToolLogger, metrics: HttpMetrics): void {
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? null;
    const { method, principal } = request;
    const { statusCode: status, elapsedTime } = reply;
    const streamed = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    metrics.answered({ method, route, status, ms: elapsedTime, streamed });
    if (route !== null && PROBES.has(route)) return;
    const fields = { request_id: request.id, method, route, status, ms: Math.round(elapsedTime), principal: principal?.name };
    log[status >= 500 ? 'warn' : 'debug'](fields, 'answered');
  });
}

// Each request has an id: the caller's own, if it is well-formed, else one of ours. It stands in the answer and in the log.

const GIVEN = /^[A-Za-z0-9._-]{1,64}$/;

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && GIVEN.test(given) ? given : `req_${randomBytes(12).toString('hex')}`;
}
