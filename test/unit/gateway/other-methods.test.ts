import { gatewayApp } from '../../../src/gateway/app';
import { gatewayParts, person } from '../../support/gateway';

describe('a path that exists, requested with another method', () => {
  const olga = person('olga', 'admin');
  const app = gatewayApp(gatewayParts({ people: [olga] }));
  afterAll(() => app.close());
  const ask = (method: string, url: string, headers = {}) => app.inject({ method: method as 'GET', url, headers });

  it.each([
    ['DELETE', '/v1/turns', 'GET, HEAD, POST'],
    ['TRACE', '/v1/pending', 'GET, HEAD'],
    ['GET', '/v1/turns/foo/cancel', 'POST'],
    ['PUT', '/v1/turns/foo?x=1', 'GET, HEAD'],
    ['PATCH', '/tools/calculate/sse', 'GET, POST'],
    ['HEAD', '/v1/turns/foo/events', 'GET'],
    ['QUERY', '/v1/turns/call%2Ffoo', 'GET, HEAD'],
    ['DELETE', '/v1/passkeys/waiting', 'GET, HEAD'],
    ['PUT', '/v1/passkeys/options', 'POST'],
  ])('%s %s: 405, and the methods that it accepts', async (method, url, allow) => {
    const answer = await ask(method, url, olga.headers);
    expect({ status: answer.statusCode, allow: answer.headers.allow }).toEqual({ status: 405, allow });
    if (method !== 'HEAD') expect(answer.json()).toMatchObject({ success: false, error: { reason: 'method_not_allowed' } });
  });

  it('is refused before its body is read', async () => {
    const payload = '<not json>';
    const answer = await app.inject({ method: 'PUT', url: '/v1/turns', headers: { 'content-type': 'text/xml' }, payload });
    expect(answer.statusCode).toBe(405);
  });

  it.each(['/made/up', '/v1/turns/a/b/cancel', '/v1.turns', '/index.html'])('%s does not exist for any method', async (url) => {
    for (const method of ['GET', 'DELETE', 'TRACE']) expect((await ask(method, url)).statusCode).toBe(404);
  });
});
