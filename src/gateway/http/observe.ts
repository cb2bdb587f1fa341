/** Records each request: a log line, two metrics, a span, its id in the answer. Of an address only the route: the rest may be a secret. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context, Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as Prom from 'prom-client';
import type { OpenTurnFigures } from '../../client/turns/open-turns';
import { findPackage } from '../../optional-package';
import { FREEZE_SCOPES } from '../../record/stop';
import { OPEN_STATES } from '../../shared/turn/turn-states';
import { api, fail, onlyTraceFields, SCOPE } from '../../telemetry/traces/api';
import type { Backlog } from '../../temporal/backlog';
import type { ToolLogger } from '../../tools/define/tool';

const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

export function observeRequests(app: FastifyInstance, log: ToolLogger, metrics: HttpMetrics | null): void {
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? null;
    const { method, principal } = request;
    const { statusCode: status, elapsedTime } = reply;
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    metrics?.observeRequest({ method, route, status, ms: elapsedTime, isStream });
    if (route !== null && PROBES.has(route)) return;
    const fields = { request_id: request.id, method, route, status, ms: Math.round(elapsedTime), principal: principal?.name };
    log[status >= 500 ? 'warn' : 'debug'](fields, 'answered');
  });
}

/**
 * Calls back once, when the answer or its connection has ended: also if that was before, and for an answer that waits for those before it
 * on its connection, of which Node says nothing then.
 */
export function onceClosed({ raw, request }: FastifyReply, act: () => void): void {
  const { socket } = request.raw;
  if (raw.closed || socket.destroyed) return act();
  const end = () => {
    raw.off('close', end);
    socket.off('close', end);
    act();
  };
  raw.on('close', end);
  socket.on('close', end);
}

// Each request has an id: the caller's own, if it is well-formed, else a new one. The answer and the log contain it.

const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const header = headers['x-request-id'];
  return typeof header === 'string' && REQUEST_ID_PATTERN.test(header) ? header : `req_${randomBytes(12).toString('hex')}`;
}

// Prometheus metrics of requests: counts by route, method and status, and durations. Addresses and names are no labels: their
// number has no limit.

export interface RequestObservation {
  method: string;
  route: string | null;
  status: number;
  ms: number;
  /** Answered with server-sent events, which stay open for as long as there is something to report. */
  isStream: boolean;
}

/** Null without the package prom-client: nothing is counted. */
export function httpMetrics(): HttpMetrics | null {
  const prom = findPackage<typeof Prom>('prom-client');
  return prom === null ? null : new HttpMetrics(prom);
}

export class HttpMetrics {
  private readonly registry: Prom.Registry;
  private readonly requests: Prom.Counter;
  private readonly seconds: Prom.Histogram;
  private readonly streamSeconds: Prom.Histogram;
  private readonly freezes: Prom.Gauge;
  private readonly refusedStarts: Prom.Counter;
  private readonly backlog: Prom.Gauge;
  private readonly backlogAge: Prom.Gauge;
  private readonly turns: Prom.Gauge;
  private readonly idleSeconds: Prom.Gauge;
  private readonly stuck: Prom.Gauge;

  constructor({ Counter, Gauge, Histogram, Registry }: typeof Prom) {
    this.registry = new Registry();
    const registers = [this.registry];
    const labelNames = ['method', 'route'];
    this.requests = new Counter({
      name: 'holdfast_http_requests_total',
      help: 'Requests that were answered.',
      labelNames: [...labelNames, 'status'],
      registers,
    });
    this.seconds = new Histogram({
      name: 'holdfast_http_request_seconds',
      help: 'From the first byte of a request to the last of its answer. Streams are not in it.',
      labelNames,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    });
    this.streamSeconds = new Histogram({
      name: 'holdfast_http_stream_seconds',
      help: 'How long a stream of events was open, from the first byte of its request on.',
      labelNames,
      buckets: [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400],
      registers,
    });
    this.freezes = new Gauge({
      name: 'holdfast_freezes',
      help: 'What is frozen, by its scope: all, agent, tool or tenant.',
      labelNames: ['scope'],
      registers,
    });
    this.refusedStarts = new Counter({
      name: 'holdfast_starts_refused_total',
      help: 'Requests for new work that were refused, since the workers cannot keep up.',
      registers,
    });
    this.backlog = new Gauge({
      name: 'holdfast_task_queue_backlog',
      help: 'Tasks that wait for a worker, by their type: workflow or activity.',
      labelNames: ['type'],
      registers,
    });
    this.backlogAge = new Gauge({
      name: 'holdfast_task_queue_backlog_age_seconds',
      help: 'How long the oldest of these tasks has waited.',
      labelNames: ['type'],
      registers,
    });
    this.turns = new Gauge({
      name: 'holdfast_turns',
      help: 'Turns and direct calls that have not ended, by state.',
      labelNames: ['state'],
      registers,
    });
    this.idleSeconds = new Gauge({
      name: 'holdfast_turn_idle_seconds',
      help: 'How long nothing has happened in the turn of this state that has been idle for longest.',
      labelNames: ['state'],
      registers,
    });
    this.stuck = new Gauge({
      name: 'holdfast_turns_stuck',
      help: 'Turns in which nothing has happened for 15 minutes, though they wait for nobody.',
      labelNames: [],
      registers,
    });
  }

  /** @param route as declared; null: no route matches */
  observeRequest({ method, route, status, ms, isStream }: RequestObservation): void {
    const labels = { method: METHODS.has(method) ? method : 'other', route: route ?? 'none' };
    this.requests.inc({ ...labels, status });
    (isStream ? this.streamSeconds : this.seconds).observe(labels, ms / 1000);
  }

  /** Null: the store does not answer. All other metrics are served then, and there is none of freezes. */
  setFreezes(freezes: readonly { scope: string }[] | null): void {
    if (freezes === null) return this.freezes.reset();
    for (const scope of FREEZE_SCOPES) this.freezes.set({ scope }, freezes.filter((one) => one.scope === scope).length);
  }

  /** @param backlogs null: Temporal does not say, and there is none of them */
  setStarts(refusals: number, backlogs: readonly Backlog[] | null): void {
    this.refusedStarts.reset();
    this.refusedStarts.inc(refusals);
    if (backlogs === null) return [this.backlog, this.backlogAge].forEach((gauge) => gauge.reset());
    for (const { type, tasks, ageMs } of backlogs) {
      this.backlog.set({ type }, tasks);
      this.backlogAge.set({ type }, ageMs / 1000);
    }
  }

  /** Null: Temporal does not answer. There are no figures of turns then. */
  setTurns(figures: OpenTurnFigures | null): void {
    this.turns.reset();
    this.idleSeconds.reset();
    this.stuck.remove(); // `reset` would make it 0
    if (figures === null) return;
    for (const state of OPEN_STATES) {
      this.turns.set({ state }, figures.turns[state]);
      const idleMs = figures.idleMs[state];
      if (idleMs !== null) this.idleSeconds.set({ state }, idleMs / 1000);
    }
    this.stuck.set(figures.stuck);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

// A span for each request, which goes on the trace of the caller (W3C `traceparent`).

interface RequestTrace {
  span: Span;
  context: Context;
}

/** Without an SDK of OpenTelemetry in this process, nothing happens. */
export function traceRequests(app: FastifyInstance): void {
  const traces = new WeakMap<FastifyRequest, RequestTrace>();
  app.addHook('onRequest', async (request) => {
    const otel = api();
    const route = request.routeOptions.url ?? null;
    if (otel === null || (route !== null && PROBES.has(route))) return;
    const { trace, propagation, ROOT_CONTEXT, SpanKind } = otel;
    const caller = propagation.extract(ROOT_CONTEXT, onlyTraceFields(request.headers));
    const attributes = { 'http.request.method': request.method, 'http.route': route ?? '', 'holdfast.request_id': request.id };
    const name = `${request.method} ${route ?? '(no route)'}`;
    const span = trace.getTracer(SCOPE).startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
    traces.set(request, { span, context: trace.setSpan(caller, span) });
  });
  // Here, since the body has been read: its events would lose the context.
  app.addHook('preValidation', (request, _reply, proceed) => {
    const own = traces.get(request);
    if (own === undefined) proceed();
    else api()!.context.with(own.context, proceed);
  });
  app.addHook('onResponse', async (request, { statusCode }) => {
    const span = traces.get(request)?.span;
    if (span === undefined) return;
    span.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) fail(span, String(statusCode));
    span.end();
  });
}
