import { PackageMissing } from '../../../src/optional-package';
import { gatewayApp } from '../../../src/gateway/app';
import { gatewayParts, person } from '../../support/gateway';

jest.mock('../../../src/optional-package', () => {
  const real = jest.requireActual<typeof import('../../../src/optional-package')>('../../../src/optional-package');
  const missing = (name: string, feature: string) => {
    throw new real.PackageMissing(name, feature);
  };
  return { ...real, optionalPackage: missing };
});

const rita = person('acme/rita', 'starter');

describe('a gateway without the packages of the protocols', () => {
  it('names the package that a route needs, and serves all other routes', async () => {
    const app = gatewayApp(gatewayParts({ people: [rita] }));
    const post = (url: string, payload: object) => app.inject({ method: 'POST', url, headers: rita.headers, payload });
    const run = { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'Hi' }] };
    for (const [url, payload, name] of [
      ['/v1/ag-ui/tester', run, '@ag-ui/core'],
      ['/a2a/tester', { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } }, '@a2a-js/sdk'],
    ] as const) {
      const answer = await post(url, payload);
      expect([answer.statusCode, answer.json().error.reason]).toEqual([501, 'package_missing']);
      expect(answer.json().error.message).toContain(new PackageMissing(name, '').message.slice(-20));
    }
    const card = await app.inject({ url: '/a2a/tester/.well-known/agent-card.json', headers: rita.headers });
    expect(card.statusCode).toBe(501);
    expect((await app.inject({ url: '/healthz' })).statusCode).toBe(200);
    await app.close();
  });
});
