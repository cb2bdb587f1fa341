import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020';
import { gatewayApp } from '../../../src/gateway/app';
import { serveGateway } from '../../../src/gateway/serve';
import { gatewayParts, person } from '../../support/gateway';
import type { GatewayParts } from '../../../src/gateway/route';

const olga = person('olga', 'auditor', 'admin');
const people = [olga];
const none = async () => ({ inbox: { pending: async () => [] }, page: async () => ({ turns: [], next: null }) }) as never;
const app = (more: Partial<GatewayParts> = {}) => gatewayApp(gatewayParts({ people, client: none, ...more }));
const pending = { url: '/v1/pending', headers: olga.headers };

describe('every request', () => {
  it('has an id: the caller’s own if it is well-formed, else one of ours; nobody can inject a header or a log line by it', async () => {
    const lines: object[] = [];
    const keep = (fields: object) => void lines.push(fields);
    const gateway = app({ log: { debug: keep, info: keep, warn: keep, error: keep } });
    const idFor = async (id?: string) =>
      (await gateway.inject({ ...pending, headers: { ...olga.headers, ...(id ? { 'x-request-id': id } : {}) } })).headers[
        'x-request-id'
      ];
    expect(await idFor('order-7.a')).toBe('order-7.a');
    for (const bad of [undefined, 'a b', 'x'.repeat(65), 'a\r\nset-cookie: x=1', '${jndi:x}', '<b>'])
      expect(await idFor(bad)).toMatch(/^req_[0-9a-f]{24}$/);
    const refused = await gateway.inject({
      url: '/v1/pending',
      headers: { 'x-request-id': 'r-1', authorization: 'Bearer top-secret-token-of-somebody' },
    });
    expect(refused.json()).toMatchObject({ metadata: { request_id: 'r-1' } });
    expect(lines).toContainEqual(
      expect.objectContaining({ request_id: 'order-7.a', route: '/v1/pending', status: 200, principal: 'olga' }),
    );
    expect(JSON.stringify(lines)).not.toMatch(/top-secret|hft_|jndi/);
    await gateway.close();
  });

  it('is refused if there are too many: of one principal, or of one address with wrong tokens', async () => {
    const bob = person('bob', 'auditor');
    const gateway = gatewayApp(gatewayParts({ people: [olga, bob], client: none, requestsPerMinute: 3 }));
    const statuses = async (headers: Record<string, string>, count: number) => {
      const all: number[] = [];
      for (let n = 0; n < count; n++) all.push((await gateway.inject({ url: '/v1/pending', headers })).statusCode);
      return all;
    };
    expect(await statuses(olga.headers, 5)).toEqual([200, 200, 200, 429, 429]);
    expect(await statuses(bob.headers, 4)).toEqual([200, 200, 200, 429]); // from the same address, counted by himself
    const refused = await gateway.inject(pending);
    expect(refused.json()).toMatchObject({ error: { code: 'RATE_LIMITED', reason: 'too_many_requests', retryable: true } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const wrong = await statuses({ authorization: `Bearer ${'x'.repeat(40)}` }, 62);
    expect([wrong[0], wrong.at(-1)]).toEqual([401, 429]);
    for (let n = 0; n < 5; n++) expect((await gateway.inject({ url: '/healthz' })).statusCode).toBe(200);
    // Whoever has one address of IPv6 has a whole network of them.
    const sixes: number[] = [];
    for (let n = 0; n < 62; n++) {
      const headers = { authorization: `Bearer ${'x'.repeat(40)}` };
      const remoteAddress = `2001:db8:0:1::${(n + 1).toString(16)}`;
      sixes.push((await gateway.inject({ url: '/v1/pending', headers, remoteAddress })).statusCode);
    }
    expect([sixes[0], sixes.at(-1)]).toEqual([401, 429]);
    await gateway.close();
  });

  it('for the waiting calls is answered within a bound, for cards of any length and number: a card that does not fit is named, not shown', async () => {
    let ms = Date.parse('2026-01-31T10:00:00Z');
    const waits = (turn_id: string, length: number) => ({
      turn_id,
      started_at: new Date((ms -= 1000)).toISOString(),
      tools: ['pay'],
      calls: [{ card: { markdown: 'x'.repeat(length) } }],
      unreachable: null,
    });
    const turns = [...Array.from({ length: 100 }, (_, n) => waits(`long-${n}`, 50_000)), waits('short', 10)];
    const gateway = app({ client: async () => ({ inbox: { pending: async () => turns } }) as never });
    const answer = await gateway.inject(pending);
    expect(answer.body.length).toBeLessThan(4_100_000);
    const listed = answer.json<{ turns: { turn_id: string; calls: object[]; unreachable: string | null }[] }>().turns;
    expect(listed.map(({ turn_id }) => turn_id)).toEqual(turns.map(({ turn_id }) => turn_id));
    const blind = listed.filter(({ calls }) => calls.length === 0);
    expect(blind).toHaveLength(21);
    for (const { turn_id, unreachable } of blind)
      expect([turn_id, unreachable]).toEqual([expect.stringMatching(/^long-/), expect.stringContaining('do not fit')]);
    await gateway.close();
  });

  it('may come from a web page only where its origin is listed', async () => {
    const preflight = {
      method: 'OPTIONS' as const,
      url: '/v1/turns',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    };
    const closed = app();
    expect((await closed.inject(preflight)).headers['access-control-allow-origin']).toBeUndefined();
    await closed.close();
    const open = app({ corsOrigins: ['https://app.example'] });
    expect((await open.inject(preflight)).headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example' });
    const evil = await open.inject({ ...preflight, headers: { ...preflight.headers, origin: 'https://app.example.evil' } });
    expect(evil.headers['access-control-allow-origin']).not.toBe('https://app.example.evil');
    expect((await open.inject({ ...pending, headers: { origin: 'https://app.example' } })).statusCode).toBe(401);
    await open.close();
  });

  it('is one request: framing tricks, headers twice and oversize ones are refused', async () => {
    const gateway = await serveGateway(gatewayParts({ people, client: none }), { host: '127.0.0.1', port: 0 });
    const { port } = new URL(gateway.url);
    const raw = (text: string) =>
      new Promise<string>((resolve, reject) => {
        let got = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.end(text));
        socket
          .on('data', (chunk) => (got += chunk.toString()))
          .on('end', () => resolve(got))
          .on('error', reject);
      });
    const auth = `Authorization: ${olga.headers.authorization}\r\n`;
    const head = 'POST /v1/turns HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const smuggled = 'GET /v1/pending HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const cases = [
      `${head}${auth}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `${head}${auth}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
      `${head}${auth}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
      `GET /v1/pending HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n${auth}\r\n`,
      `GET /v1/pending HTTP/1.1\r\nHost: localhost\r\nAuthorization : ${olga.headers.authorization}\r\n\r\n`,
    ];
    for (const text of cases) {
      const answer = await raw(text);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    }
    const twice = await raw(
      `GET /v1/pending HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${'x'.repeat(30)}\r\n${auth}\r\n`,
    );
    expect(twice).toMatch(/^HTTP\/1\.1 401 /); // the first one counts, as Node has it, and it is nobody’s
    const big = await fetch(`${gateway.url}/v1/turns`, {
      method: 'POST',
      headers: { ...olga.headers, 'content-type': 'application/json' },
      body: `"${'x'.repeat(2_600_000)}"`,
    });
    expect(big.status).toBe(413);
    await gateway.close();
  });
});

describe('the operation of a gateway', () => {
  it('counts requests by route and status, never by address', async () => {
    const gateway = app();
    await gateway.inject(pending);
    await gateway.inject({ url: '/v1/turns/secret-id' });
    await gateway.inject({ url: '/made/up' });
    const { body } = await gateway.inject({ url: '/metrics', headers: olga.headers });
    expect(body).toContain('holdfast_http_requests_total{method="GET",route="/v1/pending",status="200"} 1');
    expect(body).toContain('holdfast_http_requests_total{method="GET",route="/v1/turns/:id",status="401"} 1');
    expect(body).toContain('route="none",status="404"');
    expect(body).not.toMatch(/secret-id|made/);
    await gateway.close();
    const open = app({ openMetrics: true });
    expect((await open.inject({ url: '/metrics' })).statusCode).toBe(200);
    await open.close();
  });

  it('is ready while Temporal and the store answer, once there is a worker; reports no more than that', async () => {
    const answers = { workflowService: { describeNamespace: async () => ({}) } };
    let polled: number | null = null;
    const client = async () =>
      ({ temporal: { connection: answers, options: { namespace: 'default' } }, lastPoll: async () => polled }) as never;
    const store = { derivedKey: () => Buffer.alloc(32), registers: { read: async () => ({ value: null, now: 0 }) } } as never;
    const early = app({ client, store });
    const tooEarly = await early.inject({ url: '/readyz' });
    expect(tooEarly.statusCode).toBe(503);
    expect(tooEarly.json()).toMatchObject({ checks: expect.arrayContaining([{ check: 'worker', ok: false }]) as object });
    await early.close();
    polled = Date.now();
    const ready = app({ client, store });
    expect((await ready.inject({ url: '/readyz' })).json()).toEqual({
      ready: true,
      checks: [
        { check: 'temporal', ok: true },
        { check: 'store', ok: true },
        { check: 'worker', ok: true },
      ],
    });
    await ready.close();
    const broken = app({ store, client: () => Promise.reject(new Error('secret.internal:7233 refused')) });
    const answer = await broken.inject({ url: '/readyz' });
    expect(answer.statusCode).toBe(503);
    expect(answer.body).not.toContain('secret.internal');
    await broken.close();
  });

  it('ends in order: it stops being ready, open requests are answered, and slow ones are cut off', async () => {
    let answer = (_pending: never[]): void => undefined;
    const listed = new Promise<never[]>((resolve) => (answer = resolve));
    let arrive = (): void => undefined;
    const arrival = () => new Promise<void>((resolve) => (arrive = resolve));
    const client = async (pending: Promise<never[]>) => ({ inbox: { pending: () => (arrive(), pending) } }) as never;
    let arrived = arrival();
    const gateway = await serveGateway(gatewayParts({ people, client: () => client(listed) }), { host: '127.0.0.1', port: 0 });
    const open = fetch(`${gateway.url}/v1/pending`, { headers: olga.headers });
    await arrived;
    const closing = gateway.close();
    await sleep(100);
    answer([]);
    expect((await open).status).toBe(200);
    await closing;

    const stuck = await serveGateway(gatewayParts({ people, client: () => client(new Promise(() => undefined)) }), {
      host: '127.0.0.1',
      port: 0,
      drainMs: 300,
    });
    arrived = arrival();
    const cut = new Promise<string>((resolve) =>
      httpRequest(`${stuck.url}/v1/pending`, { headers: olga.headers }, () => resolve('answered'))
        .on('error', () => resolve('cut off'))
        .end(),
    );
    await arrived;
    await stuck.close();
    expect(await cut).toBe('cut off');
  });
});

describe('the OpenAPI document', () => {
  it('is 3.1, every operation has a summary, and every example fits its schema', async () => {
    const gateway = app();
    const document = (await gateway.inject({ url: '/openapi.json' })).json();
    expect(document.openapi).toBe('3.1.0');
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let examples = 0;
    const visit = (node: any): void => {
      if (typeof node !== 'object' || node === null) return;
      if (node.schema && (node.example !== undefined || node.examples)) {
        const given =
          node.example !== undefined ? [node.example] : Object.values(node.examples).map((one: any) => one.value ?? one);
        for (const example of given) {
          examples += 1;
          const validate = ajv.compile({ ...node.schema, components: document.components });
          expect({ example, fits: validate(example), errors: validate.errors }).toMatchObject({ fits: true });
        }
      }
      Object.values(node).forEach(visit);
    };
    visit(document.paths);
    for (const operations of Object.values<any>(document.paths))
      for (const operation of Object.values<any>(operations)) {
        expect(operation.summary).toMatch(/\w/);
        const [, answer] = Object.entries<any>(operation.responses).find(([status]) => status.startsWith('2'))!;
        const bodies = [...Object.values<any>(operation.requestBody?.content ?? {}), ...Object.values<any>(answer.content ?? {})];
        const shown = bodies.some((body) => body.example !== undefined || body.examples !== undefined);
        expect({ summary: operation.summary, shown }).toEqual({ summary: operation.summary, shown: true });
      }
    expect(examples).toBeGreaterThanOrEqual(14);
    await gateway.close();
  });
});
