/** The gateway of `holdfast dev`: its address, also on a port that nobody chose. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevGateway } from '../../../src/cli/support/dev-gateway';
import { loadConfig } from '../../../src/config';
import { InProcessLive } from '../../../src/live/in-process';

let home: string;
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'holdfast-dev-gateway-'))));
afterAll(() => rm(home, { recursive: true, force: true }));

const started = (environment: NodeJS.ProcessEnv) => {
  const config = loadConfig({ HOLDFAST_HOME: home, HOLDFAST_LOG_LEVEL: 'error', ...environment });
  return startDevGateway(config, { wish: 0, appFile: undefined, live: new InProcessLive(), stack: () => null }, () => undefined);
};

describe('the gateway of holdfast dev', () => {
  it('on a free port signs people in at the address that it has', async () => {
    const { gateway, token, config } = await started({});
    try {
      const { port } = new URL(gateway.url);
      const own = `http://localhost:${port}`;
      expect([config.publicUrl, config.pageUrl]).toEqual([own, own]);
      const signIn = (origin: string) =>
        fetch(`${gateway.url}/v1/sign-in`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', host: `localhost:${port}`, origin },
          body: JSON.stringify({ token }),
        });
      expect((await signIn('http://localhost:8480')).status).toBe(403);
      expect((await signIn(own)).status).toBe(200);
    } finally {
      await gateway.close();
    }
  });

  it('keeps the address that the settings name', async () => {
    const { gateway, config } = await started({ HOLDFAST_PUBLIC_URL: 'https://desk.example' });
    await gateway.close();
    expect(config.publicUrl).toBe('https://desk.example');
  });
});
