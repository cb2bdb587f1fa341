/** Sends requests over loopback, as many at once as there are connections. */
import { randomUUID } from 'node:crypto';
import autocannon, { type Instance } from 'autocannon';
import { cpuMs } from './process-figures';
import type { Face } from './face-process';

export interface Load {
  face: Face;
  path: string;
  /** Absent: GET. */
  body?: object;
  /** Each request has an idempotency key of its own. */
  keyed?: boolean;
  count: number;
  atOnce: number;
}

export interface Answered {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of the HTTP server's process, ms per request. */
  cpuMs: number;
  /** Requests that were not answered with 2xx. */
  failed: number;
}

export async function load({ face, path, body, keyed = false, count, atOnce }: Load): Promise<Answered> {
  const json = body === undefined ? {} : { method: 'POST' as const, body: JSON.stringify(body) };
  const headers = { ...face.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const before = cpuMs(face.pid);
  const began = performance.now();
  let last = began;
  const answered = autocannon({
    url: face.url + path,
    ...json,
    headers,
    amount: count,
    connections: atOnce,
    timeout: 30,
    ...(keyed
      ? {
          requests: [
            { ...json, setupRequest: (request) => ({ ...request, headers: { ...headers, 'idempotency-key': randomUUID() } }) },
          ],
        }
      : {}),
  });
  (answered as unknown as Instance).on('response', () => void (last = performance.now())); // autocannon itself ends at full seconds
  const result = await answered;
  return {
    perSecond: (count * 1000) / (last - began),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMs: (cpuMs(face.pid) - before) / count,
    failed: result.errors + result.non2xx,
  };
}
