/** What is known of each request afterwards: a line, two metrics, its id in the answer. Of an address only its route: the rest may be a secret. */
import type { FastifyInstance } from 'fastify';
import type { HttpMetrics } from './http-metrics';
import type { ToolLogger } from '../tools/define/tool';

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
