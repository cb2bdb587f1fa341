/** `holdfast proxy` as docker-compose.yml runs it: reached from outside loopback, in front of a server that checks nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOf, readCompose } from '../support/compose-file';
import { holdfast, type Holdfast } from '../support/process';

let home: string;
let behind: Server;
let running: Holdfast | undefined;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-proxy-'));
  behind = createServer((asked, response) => response.end(`passed ${asked.headers.host}`));
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
});
afterEach(() => running?.stop());
afterAll(async () => {
  await new Promise((resolve) => behind.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

const to = () => `127.0.0.1:${(behind.address() as AddressInfo).port}`;
/** An address as containers are reached: not over loopback. */
const OUTSIDE = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

async function started(env: NodeJS.ProcessEnv): Promise<(headers: OutgoingHttpHeaders, address?: string) => Promise<string>> {
  running = holdfast(home, ['proxy', to(), '--http-port', '0'], env);
  const [, port] = await running.printed(/:(\d+) for /);
  return (headers, address = OUTSIDE ?? '127.0.0.1') =>
    new Promise((resolve, reject) => {
      const asking = request({ host: address, port: Number(port), path: '/', headers, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (piece) => (text += piece)).on('end', () => resolve(`${answer.statusCode} ${text}`));
      });
      asking.on('error', reject).end();
    });
}

it('passes on requests under the name of this machine or of the Web UI, and refuses every other page, in a container too', async () => {
  const ask = await started({ ...environmentOf(readCompose().services['web-ui']!), HOLDFAST_UI_URL: 'https://ui.example' });
  for (const host of ['localhost:8233', '127.0.0.1:8233', 'ui.example']) expect(await ask({ host })).toBe(`200 passed ${host}`);
  expect(await ask({ host: 'ui.example', origin: 'https://ui.example' })).toContain('200');
  for (const headers of [
    { host: 'evil.example' },
    { host: 'localhost:8233', origin: 'https://evil.example' },
    { host: 'localhost:8233', origin: 'null' },
    { host: 'temporal-ui:8080' },
  ])
    expect(await ask(headers)).toMatch(/^403 The header (Host|Origin) is /);
});

it('ends at once when it is asked to', async () => {
  await started({});
  await running!.stop();
  expect(await running!.ended).toBe(0);
});

it.each(['temporal-ui', 'http://temporal-ui:8080', 'temporal-ui:0', 'a b:80'])('refuses to stand before %j', async (place) => {
  const one = holdfast(home, ['proxy', place]);
  expect(await one.ended).toBe(2);
  expect(one.output()).toContain('It must be HOST:PORT, such as temporal-ui:8080.');
});
