/** A gateway with sign-in, and a real OpenID provider beside it, each on a port of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config';
import { gatewayParts, serveGateway, type RunningGateway } from '../../../src/gateway/serve';
import type { GatewayParts } from '../../../src/gateway/route';
import { freePort } from '../../support/free-port';
import { silent } from '../../support/silent';
import { program, type Holdfast } from './process';

export const GROUPS = { payments: ['approver', 'treasurer'], audit: ['auditor'] };

export interface RunningDesk {
  publicUrl: string;
  home: string;
  startProvider(): Promise<void>;
  close(): Promise<void>;
}

interface DeskOptions {
  /** Path under which a proxy has the gateway; absent: there is no proxy. */
  path?: string;
  env?: NodeJS.ProcessEnv;
  /** Replace parts of the gateway. */
  parts?: Partial<GatewayParts>;
  /** Of an earlier desk, whose store it goes on with. */
  home?: string;
}

export async function startDesk({ path, env = {}, parts = {}, home: before }: DeskOptions): Promise<RunningDesk> {
  const home = before ?? (await mkdtemp(join(tmpdir(), 'holdfast-desk-')));
  const [port, providerPort] = [await freePort(), await freePort()];
  const proxy = path === undefined ? null : await startProxy(path, port);
  const publicUrl = proxy === null ? `http://localhost:${port}` : `http://localhost:${proxy.port}${path}`;
  const config = loadConfig({
    HOLDFAST_HOME: home,
    HOLDFAST_PUBLIC_URL: publicUrl,
    HOLDFAST_OIDC_ISSUER: `http://localhost:${providerPort}`,
    HOLDFAST_OIDC_CLIENT_ID: 'desk',
    HOLDFAST_OIDC_CLIENT_SECRET: 'a-secret-of-the-desk',
    HOLDFAST_OIDC_GROUPS: JSON.stringify(GROUPS),
    HOLDFAST_OIDC_SCOPES: 'openid email groups',
    ...env,
  });
  const noApp = () => Promise.reject(new Error('This test has no app.'));
  const noTemporal = () => Promise.reject(new Error('This test has no Temporal.'));
  const all = await gatewayParts(config, { log: silent, app: noApp, connect: noTemporal });
  const gateway: RunningGateway = await serveGateway({ ...all, ...parts }, { host: '127.0.0.1', port, drainMs: 0 });
  let provider: Holdfast | null = null;
  return {
    publicUrl,
    home,
    async startProvider() {
      provider = await startProvider(home, providerPort, publicUrl);
    },
    async close() {
      await provider?.stop();
      await gateway.close();
      await all.close();
      proxy?.server.close();
      if (before === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

/** A real OpenID provider, in a process of its own, for the page at this address. */
export async function startProvider(home: string, port: number, publicUrl: string): Promise<Holdfast> {
  const script = join(__dirname, 'oidc-provider.mjs');
  const args = [String(port), `${publicUrl}/sign-in/oidc/callback`, `${publicUrl}/`];
  const provider = program(home, process.execPath, [script, ...args], {});
  await provider.printed(/the provider listens/, 60_000);
  return provider;
}

/** A proxy as people put before services: it takes the path away, and says so to nobody. */
async function startProxy(path: string, port: number): Promise<{ server: Server; port: number }> {
  const server = createServer((from, to) => {
    if (from.url === path) return void to.writeHead(308, { location: `${path}/` }).end();
    if (!from.url!.startsWith(`${path}/`)) return void to.writeHead(404).end();
    const forward = { host: '127.0.0.1', port, method: from.method!, path: from.url!.slice(path.length), headers: from.headers };
    const onward = request(forward, (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(to);
    });
    onward.on('error', () => to.destroy());
    from.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** What a browser does over plain HTTP: it keeps cookies by host and path, and follows redirects one at a time. */
export class CookieJar {
  private readonly cookies: { origin: string; path: string; name: string; value: string }[] = [];

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin, pathname } = new URL(url);
    const cookie = this.cookies
      .filter((one) => one.origin === origin && `${pathname}/`.startsWith(one.path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) this.keep(origin, line);
    return answer;
  }

  value(name: string): string | undefined {
    return this.cookies.find((one) => one.name === name)?.value;
  }

  set(url: string, name: string, value: string): void {
    this.keep(new URL(url).origin, `${name}=${value}; path=/`);
  }

  private keep(origin: string, line: string): void {
    const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    const attribute = (wanted: string) =>
      rest.find((part) => part.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute('path') ?? '/';
    const at = this.cookies.findIndex((one) => one.origin === origin && one.name === name && one.path === path);
    if (at >= 0) this.cookies.splice(at, 1);
    const isOver = attribute('max-age') === '0' || Date.parse(attribute('expires') ?? '9999-01-01') < Date.now();
    if (!isOver) this.cookies.push({ origin, path, name, value });
  }
}
