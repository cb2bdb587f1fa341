/** Servers over HTTP: how we log in to them, and their other answers. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptedPath, McpServers, serverOf } from '../../../../src/mcp';
import type { OAuthServer } from '../../../../src/mcp/connection/file-login';
import { login, withOAuth } from '../../../../src/mcp/connection/oauth';
import type { JsonObject } from '../../../../src/shared/json/json';
import { FileStore } from '../../../../src/store/files/file-store';
import { capturedLog } from '../../../support/captured-log';
import { holdfast } from '../../support/process';
import { CLIENT, guardedServer, type Guard, type Guarded } from '../../../support/packs/mcp/guarded-server';

let folder: string;
let server: Guarded;
const sources: McpServers[] = [];
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-oauth-'))));
afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const logins = () => join(folder, 'mcp-logins');
const configured = (more: JsonObject = {}, env: NodeJS.ProcessEnv = {}) => serverOf('guarded', { url: server.url, ...more }, env);
const byPerson = (more: JsonObject = {}) => {
  const one = configured({ oauth: { issuer: server.issuer, ...more } });
  if (!withOAuth(one)) throw new Error('it has no oauth');
  return one;
};

/** A worker that has just this server; `run` calls one of its tools as an approved call does. */
async function worker(config: ReturnType<typeof configured>) {
  const { log, text } = capturedLog();
  const store = await FileStore.open(join(folder, 'store'));
  const settings = { loginFolder: logins(), accepted: acceptedPath(join(folder, 'mcp.json')), waitMs: 5000, pauseMs: 10 };
  const source = new McpServers({ servers: [config], store, log, ...settings });
  sources.push(source);
  const run = async (name = 'look'): Promise<JsonObject> => {
    const { tools } = await source.offered(['guarded']);
    const tool = tools.find((one) => one.name === `guarded__${name}`);
    if (!tool) throw new Error(`it offers no ${name}; the log says:\n${text()}`);
    const signal = new AbortController().signal;
    const ctx = { signal, idempotencyKey: 'k', progress: () => undefined, network: (work: () => unknown) => work() };
    return (await tool.run({}, ctx as never)) as JsonObject;
  };
  return { run, offered: () => source.offered(['guarded']), text };
}

/** The person at the browser agrees: the page sends him back. */
async function agrees(address: URL): Promise<void> {
  const sent = await fetch(address, { redirect: 'manual' });
  const back = await fetch(sent.headers.get('location')!);
  if (back.status !== 200) throw new Error(`sent back, and answered ${back.status}`);
}

const logsIn = (one: OAuthServer) => login(one, logins(), (address) => void agrees(address));
const grants = () => server.issued.map(({ body }) => new URLSearchParams(body).get('grant_type')).filter(Boolean);

describe('client credentials', () => {
  const oauth = () => ({ issuer: server.issuer, client_id: CLIENT.id, client_secret: '${SECRET}', scope: 'look' });

  it('log in by themselves, and again when the token no longer counts; no secret shows', async () => {
    server = await guardedServer();
    const { run, text } = await worker(configured({ oauth: oauth() }, { SECRET: CLIENT.secret }));
    const { text: echoed } = await run();
    expect(echoed).toContain('sent:');
    expect(echoed).toContain('"authorization":"Bearer [key]"');
    expect(echoed).toContain('"again":"[key]"');
    server.revoke();
    await run();
    expect(grants()).toEqual(['client_credentials', 'client_credentials']);
    expect(text()).not.toContain(CLIENT.secret);
    expect(server.served.every(({ headers, body }) => !JSON.stringify([headers, body]).includes(CLIENT.secret))).toBe(true);
  });

  it('that are wrong leave the turn without the tools', async () => {
    server = await guardedServer();
    const { offered, text } = await worker(configured({ oauth: oauth() }, { SECRET: 'another-secret-of-a-client' }));
    expect(await offered()).toEqual({ tools: [], missing: ['guarded'] });
    expect(text()).not.toContain('another-secret-of-a-client');
  });

  it('go only to the issuer in the configuration, also if the server names another', async () => {
    server = await guardedServer();
    const issuer = 'http://127.0.0.1:9';
    const { offered, text } = await worker(configured({ oauth: { ...oauth(), issuer } }, { SECRET: CLIENT.secret }));
    expect(await offered()).toEqual({ tools: [], missing: ['guarded'] });
    expect(text()).toContain(`The server refers to ${server.issuer}`);
    expect(server.issued).toEqual([]);
  });

  it('are all that is sent to the issuer: the headers of the entry go to the server only', async () => {
    server = await guardedServer();
    const headers = { 'X-Api-Key': 'a-key-for-the-server' };
    const { run } = await worker(configured({ oauth: oauth(), headers }, { SECRET: CLIENT.secret }));
    // The server echoes the headers that it got; they are removed.
    expect((await run()).text).toContain('"x-api-key":"[key]"');
    expect(server.served.some(({ headers: sent }) => sent['x-api-key'] === 'a-key-for-the-server')).toBe(true);
    expect(server.issued.length).toBeGreaterThan(0);
    expect(server.issued.some(({ headers: sent }) => 'x-api-key' in sent)).toBe(false);
  });
});

describe('holdfast mcp login', () => {
  it('keeps what the workers need, readable for this user alone', async () => {
    server = await guardedServer();
    const entry = { url: server.url, oauth: { issuer: server.issuer } };
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { guarded: entry } }));
    const command = holdfast(folder, ['mcp', 'login', 'guarded']);
    const [, address] = await command.printed(/Open in a browser: (\S+)/, 60_000);
    expect(new URL(address!).searchParams.get('scope')).toBe('look'); // as the server's challenge asks
    await agrees(new URL(address!));
    expect(await command.ended).toBe(0);
    expect(command.output()).not.toMatch(/access-|refresh-/);
    expect(statSync(join(logins(), 'guarded.json')).mode & 0o077).toBe(0);
    expect((await (await worker(byPerson())).run()).text).toContain('sent:');
  });

  it('is what an error asks for before the login, and again once its tokens no longer count', async () => {
    server = await guardedServer();
    const before = await worker(byPerson());
    expect((await before.offered()).missing).toEqual(['guarded']);
    expect(before.text()).toContain('Nobody has logged in to guarded: run `holdfast mcp login guarded`');

    await logsIn(byPerson());
    const { run } = await worker(byPerson());
    await run();
    server.revoke();
    await run(); // refreshed, and the new tokens kept
    expect(grants()).toEqual(['authorization_code', 'refresh_token']);
    await (await worker(byPerson())).run();

    const late = await worker(byPerson());
    await late.offered();
    server.revoke(true);
    await expect(late.run()).rejects.toMatchObject({ detail: { code: 'UNAUTHORIZED', reason: 'login_needed' } });
  });

  it('takes no code from a page that does not know its state', async () => {
    server = await guardedServer();
    let wrong = 0;
    await login(byPerson(), logins(), async (address) => {
      const back = new URL(address.searchParams.get('redirect_uri')!);
      for (const state of ['', 'x'.repeat(32), `${address.searchParams.get('state')}x`]) {
        back.search = new URLSearchParams({ code: 'of-somebody-else', state }).toString();
        wrong += Number((await fetch(back)).status === 404);
      }
      await agrees(address);
    });
    expect(wrong).toBe(3);
    await (await worker(byPerson())).run();
  });

  it('is for one address: another server that takes the name is not given its tokens', async () => {
    server = await guardedServer();
    await logsIn(byPerson());
    const first = server;
    server = await guardedServer();
    const { offered } = await worker(serverOf('guarded', { url: server.url, oauth: { issuer: first.issuer } }) as OAuthServer);
    expect((await offered()).missing).toEqual(['guarded']);
    expect(server.served.some(({ headers }) => 'authorization' in headers)).toBe(false);
    await first.close();
  });

  it('sends no code to a server that puts itself in the middle', async () => {
    server = await guardedServer({ between: true });
    const tried = login(byPerson(), logins(), (address) => void agrees(address).catch(() => undefined));
    await expect(tried).rejects.toThrow('oauth.issuer');
    expect(server.served.map(({ path }) => path)).not.toContain('/token');
    expect(server.issued.map(({ path }) => path)).toEqual([]);
  });

  it('names the scope that a call needs, and asks for it once the configuration has it', async () => {
    server = await guardedServer({ callScope: 'pay' });
    await logsIn(byPerson());
    const { run } = await worker(byPerson());
    await expect(run('pay')).rejects.toMatchObject({
      nothingHappened: false,
      detail: { code: 'UNAUTHORIZED', message: expect.stringContaining('it asks for the scope "look pay". If it may have that') },
    });
    await logsIn(byPerson({ scope: 'look pay' }));
    expect((await (await worker(byPerson({ scope: 'look pay' }))).run('pay')).text).toContain('sent:');
  });

  it('ignores its file when it cannot be used, and replaces it', async () => {
    server = await guardedServer();
    mkdirSync(logins());
    writeFileSync(join(logins(), 'guarded.json'), '{"url":');
    expect((await (await worker(byPerson())).offered()).missing).toEqual(['guarded']);
    await logsIn(byPerson());
    expect(JSON.parse(readFileSync(join(logins(), 'guarded.json'), 'utf8'))).toMatchObject({ url: server.url });
  });
});

describe('what a server over HTTP answers to a call', () => {
  const plain = (onCall: Guard['onCall']) => guardedServer({ guarded: false, ...(onCall ? { onCall } : {}) });
  const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end('no');

  it.each([
    [400, 'EXECUTION_ERROR', 'bad_request'],
    [401, 'UNAUTHORIZED', 'not_authorized'],
    [403, 'PERMISSION_DENIED', 'refused_by_server'],
    [404, 'NETWORK_ERROR', 'session_gone'],
    [429, 'RATE_LIMITED', 'server_busy'],
    [500, 'NETWORK_ERROR', 'http_failure'],
    [503, 'NETWORK_ERROR', 'http_failure'],
  ])('%i is %s %s, and proves nothing', async (code, error, reason) => {
    server = await plain(status(code));
    await expect((await worker(configured())).run('pay')).rejects.toMatchObject({
      nothingHappened: false,
      detail: { code: error, reason },
    });
  });

  it.each([302, 307, 308])('a redirect (%i) to another place is not followed, and the headers do not go there', async (code) => {
    const elsewhere = await guardedServer({ guarded: false });
    server = await plain((response) => void response.writeHead(code, { location: elsewhere.url }).end());
    const config = configured({ headers: { Authorization: 'Bearer ${TOKEN}' } }, { TOKEN: 'a-very-secret-token' });
    await expect((await worker(config)).run('pay')).rejects.toMatchObject({ detail: { reason: 'http_failure' } });
    expect(server.served.some(({ headers }) => headers.authorization === 'Bearer a-very-secret-token')).toBe(true);
    expect(elsewhere.served).toEqual([]);
    await elsewhere.close();
  });

  it('the text of a refusal no longer contains the secrets that were sent to the server', async () => {
    server = await plain((response, { headers }) => void response.writeHead(403).end(`I know ${headers.authorization}`));
    const config = configured({ headers: { Authorization: 'Bearer ${TOKEN}' } }, { TOKEN: 'a-very-secret-token' });
    await expect((await worker(config)).run('pay')).rejects.toMatchObject({
      detail: { message: expect.not.stringContaining('a-very-secret-token') },
    });
  });

  it.each([
    ['in one piece', 'application/json'],
    ['as one event', 'text/event-stream'],
  ])(
    'more than 16 MB %s end the call, not the worker',
    async (_how, type) => {
      server = await plain((response) => {
        response.writeHead(200, { 'content-type': type });
        const chunk = 'x'.repeat(1024 * 1024);
        response.write(type === 'text/event-stream' ? 'data: "' : '"');
        let sent = 0;
        const more = () => {
          if (response.destroyed || sent++ === 40) return void response.end();
          response.write(chunk, more);
        };
        more();
      });
      const { run } = await worker(configured());
      await expect(run('pay')).rejects.toMatchObject({ nothingHappened: false, detail: { code: 'NETWORK_ERROR' } });
    },
    60_000,
  );
});
