/** The tokens of a person's login are refreshed by many calls and workers, and each refresh token counts once. */
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverOf } from '../../../../src/mcp';
import { fetchFor, type Fetch } from '../../../../src/mcp/connection/bounded-fetch';
import { FileLogin, type OAuthServer } from '../../../../src/mcp/connection/file-login';
import { login, withOAuth } from '../../../../src/mcp/connection/oauth';
import { sdk } from '../../../../src/mcp/connection/sdk';
import { guardedServer, type Guarded } from '../../../support/packs/mcp/guarded-server';

let folder: string;
let guarded: Guarded;
let server: OAuthServer;
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-refresh-'));
  guarded = await guardedServer();
  const one = serverOf('guarded', { url: guarded.url, oauth: { issuer: guarded.issuer } }, {});
  if (!withOAuth(one)) throw new Error('it has no oauth');
  server = one;
  path = join(folder, 'guarded.json');
  await login(server, folder, (address) => void fetch(address)); // the person agrees
});

afterEach(async () => {
  await guarded.close();
  rmSync(folder, { recursive: true });
});

interface Kept {
  login: string;
  tokens?: { access_token: string; refresh_token: string; issuer?: string };
}

const kept = () => JSON.parse(readFileSync(path, 'utf8')) as Kept;
const keep = (login: object) => writeFileSync(path, JSON.stringify({ ...kept(), ...login }));
const network = (url: string | URL, init?: RequestInit) => fetchFor(server)(url, init);
/** The refresh tokens that the authorization server was sent. */
const sent = () => guarded.issued.flatMap(({ body }) => new URLSearchParams(body).get('refresh_token') ?? []);

/** What the SDK does after a 401. */
function authorize(provider = new FileLogin(server, folder), fetchFn: Fetch = provider.refreshOnce(network)) {
  const resourceMetadataUrl = new URL('/described-here', guarded.url);
  return sdk.auth().auth(provider, { serverUrl: guarded.url, resourceMetadataUrl, fetchFn });
}

/** Lets requests with a refresh token pass once there are so many of them. */
function together(count: number, then: Fetch): Fetch {
  let open!: () => void;
  const all = new Promise<void>((resolve) => (open = resolve));
  let arrived = 0;
  return async (url, init) => {
    if (isRefresh(init)) {
      if (++arrived === count) open();
      await all;
    }
    return then(url, init);
  };
}

function isRefresh(init?: RequestInit): boolean {
  return String(init?.body).includes('grant_type=refresh_token');
}

const TOKENS = { access_token: 'access-2', refresh_token: 'refresh-2', token_type: 'Bearer' };

it('is sent once by calls that need it at the same time', async () => {
  const before = kept();
  const one = new FileLogin(server, folder);
  const other = new FileLogin(server, folder);
  const [first, second] = [one, other].map((provider) => provider.refreshOnce(network)) as [Fetch, Fetch];
  let turn = 0;
  const fetchFn = together(3, (url, init) => (turn++ % 2 === 0 ? first : second)(url, init));
  const results = await Promise.all([one, one, other].map((provider) => authorize(provider, fetchFn)));
  expect(results).toEqual(['AUTHORIZED', 'AUTHORIZED', 'AUTHORIZED']);
  expect(sent()).toEqual([before.tokens!.refresh_token]);
  const { tokens, login: name } = kept();
  expect([name, tokens!.issuer]).toEqual([before.login, before.tokens!.issuer]);
  expect(tokens!.refresh_token).not.toBe(before.tokens!.refresh_token);
  await authorize();
  expect(sent()).toEqual([before.tokens!.refresh_token, tokens!.refresh_token]);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

it('waits for another worker, and is not sent if that has new tokens', async () => {
  writeFileSync(`${path}.lock`, '');
  const provider = new FileLogin(server, folder);
  const once = provider.refreshOnce(network);
  let authorized: Promise<string> | undefined;
  await new Promise<void>((needed) => {
    const fetchFn: Fetch = (url, init) => {
      if (isRefresh(init)) needed();
      return once(url, init);
    };
    authorized = authorize(provider, fetchFn);
  });
  await sleep(100); // a worker that does not wait sends it now
  keep({ tokens: TOKENS });
  rmSync(`${path}.lock`);
  expect(await authorized).toBe('AUTHORIZED');
  expect(sent()).toEqual([]);
  expect(kept().tokens).toMatchObject(TOKENS);
});

it('does not wait for a worker that was killed', async () => {
  writeFileSync(`${path}.lock`, '');
  const old = new Date(Date.now() - 3_600_000);
  utimesSync(`${path}.lock`, old, old);
  expect(await authorize()).toBe('AUTHORIZED');
  expect(sent()).toHaveLength(1);
});

it('drops the tokens if it is refused, and not those that came meanwhile', async () => {
  const before = kept();
  guarded.revoke(true);
  const provider = new FileLogin(server, folder);
  const once = provider.refreshOnce(async (url, init) => {
    const response = await network(url, init);
    if (isRefresh(init)) keep({ tokens: { ...before.tokens, ...TOKENS } });
    return response;
  });
  await once(`${guarded.issuer}/token`, refreshWith(before.tokens!.refresh_token));
  expect(kept().tokens).toMatchObject(TOKENS);
  keep({ tokens: before.tokens });
  await expect(authorize()).rejects.toThrow('Nobody has logged in to guarded: run `holdfast mcp login guarded`');
  expect(kept()).toMatchObject({ login: before.login });
  expect(kept()).not.toHaveProperty('tokens');
});

it('is kept while the authorization server does not answer', async () => {
  const before = kept();
  const provider = new FileLogin(server, folder);
  const once = provider.refreshOnce((url, init) =>
    isRefresh(init) ? Promise.reject(new Error('no network')) : network(url, init),
  );
  await expect(authorize(provider, once)).rejects.toThrow('The login to guarded no longer holds');
  expect(kept()).toEqual(before);
});

it('of one person does not become the login of another, who has begun to log in meanwhile', async () => {
  const { tokens } = kept();
  const another = new FileLogin(server, folder, { redirectUrl: 'http://127.0.0.1/', state: 's', open: () => undefined });
  await another.forget();
  await new FileLogin(server, folder).saveTokens({ ...tokens!, token_type: 'Bearer' });
  expect(kept()).not.toHaveProperty('tokens');
});

function refreshWith(refresh_token: string): RequestInit {
  return { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token }) };
}
