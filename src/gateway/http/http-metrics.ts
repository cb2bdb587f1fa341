/** Requests as Prometheus counts them: by route, method and status, and how long they took. Never by address or name: those have no bound. */
import { Counter, Histogram, Registry } from 'prom-client';

export interface Answered {
  method: string;
  route: string | null;
  status: number;
  ms: number;
  /** As server-sent events: open for as long as there is something to tell. */
  streamed: boolean;
}

export class HttpMetrics {
  private readonly registry = new Registry();
  private readonly requests = new Counter({
    name: 'holdfast_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [this.registry],
  });
  private readonly seconds = new Histogram({
    name: 'holdfast_http_request_seconds',
    help: 'From the first byte of a request to the last of its answer. Streams are not in it.',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });

  private readonly streamSeconds = new Histogram({
    name: 'holdfast_http_stream_seconds',
    help: 'How long a stream of events was open, from the first byte of its request on.',
    labelNames: ['method', 'route'],
    buckets: [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400],
    registers: [this.registry],
  });

  /** @param route as it is declared; null: there is none */
  answered({ method, route, status, ms, streamed }: Answered): void {
    const labels = { method: METHODS.has(method) ? method : 'other', route: route ?? 'none' };
    this.requests.inc({ ...labels, status });
    (streamed ? this.streamSeconds : this.seconds).observe(labels, ms / 1000);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
