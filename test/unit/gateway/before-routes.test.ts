/** Requests that no route gets are answered in the envelope too. */
import { connect } from 'node:net';
import { gatewayApp } from '../../../src/gateway/app';
import { serveGateway } from '../../../src/gateway/serve';
import { gzipSync } from 'node:zlib';
import { HoldfastClient } from '../../../src/client';
import { gatewayParts, person } from '../../support/gateway';

const CONFIG = { taskQueue: 'q', uiUrl: null };

const inEnvelope = (reason: string) => ({
  success: false,
  status: 'error',
  error: { code: 'INVALID_PARAMS', reason, retryable: false },
  metadata: { timestamp: expect.any(String) },
});

describe('an address that no route can read', () => {
  const app = gatewayApp(gatewayParts());
  afterAll(() => app.close());

  it.each([
    ['a part that is too long', `/v1/turns/${'x'.repeat(501)}`, 414],
    ['a broken escape', '/v1/turns/%zz', 400],
    ['bytes that are no UTF-8', '/v1/turns/%ff%fe', 400],
  ])('%s is answered in the envelope, and not repeated', async (_name, url, status) => {
    const answer = await app.inject({ url, headers: { 'x-request-id': 'r-1' } });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ ...inEnvelope('bad_address'), metadata: { request_id: 'r-1' } });
    expect(answer.body.length).toBeLessThan(400);
  });
});

describe('a filter that no list can have', () => {
  const reader = person('rita', 'admin');
  const app = gatewayApp(
    gatewayParts({
      people: [reader],
      client: async () => new HoldfastClient({ options: {}, connection: { workflowService: {} } } as never, CONFIG),
    }),
  );
  afterAll(() => app.close());

  it.each(['/v1/turns?agent=%00', '/v1/turns?agent=a%1fb', '/v1/sessions?agent=%00'])('%s is refused at once', async (url) => {
    const answer = await app.inject({ url, headers: reader.headers });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ success: false, error: { code: 'INVALID_PARAMS' } });
  });
});

describe('a body that is not UTF-8', () => {
  const starter = person('rita', 'starter');
  const app = gatewayApp(gatewayParts({ people: [starter] }));
  afterAll(() => app.close());
  const body = JSON.stringify({ agent: 'clerk', message: 'Grüße' });

  it.each<[string, object, Buffer, number]>([
    [
      'ISO 8859-1, as its header says',
      { 'content-type': 'application/json; charset=iso-8859-1' },
      Buffer.from(body, 'latin1'),
      415,
    ],
    ['UTF-16', { 'content-type': 'application/json;charset="utf-16le"' }, Buffer.from(body, 'utf16le'), 415],
    ['compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync(body), 415],
    ['ISO 8859-1 without a word', { 'content-type': 'application/json' }, Buffer.from(body, 'latin1'), 400],
  ])('is refused: %s', async (_name, headers, payload, status) => {
    const answer = await app.inject({ method: 'POST', url: '/v1/turns', headers: { ...starter.headers, ...headers }, payload });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ error: { code: 'INVALID_PARAMS', reason: 'bad_encoding' } });
  });

  it('is read if it is UTF-8, in upper or lower case', async () => {
    const headers = { ...starter.headers, 'content-type': 'application/json; charset=UTF-8' };
    const answer = await app.inject({ method: 'POST', url: '/v1/turns', headers, payload: '{"agent":"ü"}' });
    expect(answer.json()).toMatchObject({ error: { reason: 'bad_request' } });
  });
});

describe('bytes that are not an HTTP request', () => {
  it.each([
    ['headers that are too long', `GET /v1/turns HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['no request line', 'who goes there\r\n\r\n', 400],
  ])('%s are answered in the envelope, once, and the connection ends', async (_name, text, status) => {
    const gateway = await serveGateway(gatewayParts(), { host: '127.0.0.1', port: 0 });
    const { port } = new URL(gateway.url);
    try {
      const answer = await new Promise<string>((resolve, reject) => {
        let got = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
        socket
          .on('data', (chunk) => (got += chunk.toString()))
          .on('end', () => resolve(got))
          .on('error', reject);
      });
      const [head, body] = answer.split('\r\n\r\n') as [string, string];
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).toContain('content-type: application/json');
      expect(JSON.parse(body)).toMatchObject(inEnvelope('bad_http'));
    } finally {
      await gateway.close();
    }
  });
});
