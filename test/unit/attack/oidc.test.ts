/** Attacks on the sign-in at an OpenID provider: by those who can write addresses, answers of the provider, or groups. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OidcSettings } from '../../../src/config/sign-in';
import { forgetName } from '../../../src/sign-in/oidc-person';
import { FIND_AGAIN_AFTER_MS } from '../../../src/sign-in/oidc-provider';
import { DateAhead } from '../../../src/testing/agent/date-ahead';
import { stranger, TestIssuer, type Said } from '../../support/oidc-issuer';
import { BrowserAtDesk, openDesk, PUBLIC_URL, type Desk } from '../../support/sign-in';

const FLOW = '__Host-holdfast-flow';
const SESSION = '__Host-holdfast';
const PAYMENTS: Said = { claims: { groups: ['payments'], email: 'ana@bank.example', email_verified: true } };

let issuer: TestIssuer;
let desk: Desk;
const lines: object[] = [];
const keep = (fields: object, message?: string) => void lines.push({ ...fields, message });
const settings = (more: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer: issuer.url,
  clientId: issuer.clientId,
  clientSecret: issuer.clientSecret,
  groups: new Map([['payments', ['approver']]]),
  groupsClaim: 'groups',
  nameClaim: null,
  tenantClaim: null,
  scopes: 'openid email',
  ...more,
});
const log = { debug: keep, info: keep, warn: keep, error: keep };
const deskWith = (more: Partial<OidcSettings> = {}, dir?: string) => openDesk({ limits: { oidc: settings(more) }, log }, dir);

beforeAll(async () => {
  issuer = await new TestIssuer().start();
  desk = await deskWith();
});
afterAll(async () => {
  await desk.close();
  await issuer.stop();
});
beforeEach(() => void (lines.length = 0));

/** What a browser sends that another site has led here. */
const FROM_PROVIDER = { origin: '', 'sec-fetch-site': 'cross-site', 'x-holdfast-csrf': '', host: 'desk.bank.example' };

async function begin(browser = new BrowserAtDesk(desk.app)) {
  const answer = await browser.send('GET', '/sign-in/oidc', undefined, { origin: '' });
  return { browser, answer, url: String(answer.headers.location) };
}
const back = (browser: BrowserAtDesk, query: URLSearchParams | string) =>
  browser.send('GET', `/sign-in/oidc/callback?${String(query)}`, undefined, FROM_PROVIDER);

async function signedIn(said: Said = PAYMENTS) {
  const { browser, url } = await begin();
  const query = issuer.agree(url, said);
  return { browser, url, query, answer: await back(browser, query) };
}
const isNobody = async (browser: BrowserAtDesk) => {
  expect(browser.cookies.has(SESSION)).toBe(false);
  expect((await browser.send('GET', '/v1/me')).statusCode).toBe(401);
};

describe('a sign-in at the provider', () => {
  it('leads to it with code, PKCE, state and nonce, and to the exact address of the settings', async () => {
    const { answer, url, browser } = await begin();
    expect(answer.statusCode).toBe(303);
    const asked = Object.fromEntries(new URL(url).searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      client_id: 'desk',
      scope: 'openid email',
      redirect_uri: `${PUBLIC_URL}/sign-in/oidc/callback`,
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(browser.cookies.get(FLOW)).not.toContain(asked.state);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/);
  });

  it('gives the roles of the groups, and leads to the page and nowhere else', async () => {
    const { browser, answer } = await signedIn();
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `${PUBLIC_URL}/`]);
    expect((await browser.send('GET', '/v1/me')).json()).toMatchObject({
      principal: 'ana@bank.example',
      roles: ['approver'],
      sign_in: 'oidc',
      csrf: expect.any(String),
    });
    expect(browser.cookies.has(FLOW)).toBe(false);
    const signOut = await withCsrf(browser);
    expect((await signOut.send('POST', '/v1/sign-out')).json()).toMatchObject({
      next: expect.stringMatching(
        /\/sign-out\?.*client_id=desk.*post_logout_redirect_uri=https%3A%2F%2Fdesk.bank.example%2F|post_logout/,
      ),
    });
    await isNobody(browser);
  });

  it('reads groups and address from the user info if the ID token has none', async () => {
    const said = { userinfo: { sub: 'u-3', groups: ['payments'], email: 'ben@bank.example', email_verified: true } };
    const { browser } = await signedIn({ ...said, claims: { sub: 'u-3' } });
    expect((await browser.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'ben@bank.example' });
  });

  it('replaces the one that the browser had', async () => {
    const { browser } = await signedIn();
    const first = browser.cookies.get(SESSION)!;
    const { url } = await begin(browser);
    browser.cookies.delete(SESSION); // strict: it does not come along from the provider
    await back(browser, issuer.agree(url, PAYMENTS));
    const old = new BrowserAtDesk(desk.app);
    old.cookies.set(SESSION, first);
    expect((await old.send('GET', '/v1/me')).statusCode).toBe(401);
    expect((await browser.send('GET', '/v1/me')).statusCode).toBe(200);
  });

  it('ends when the provider says so, and with the group or the provider in the settings', async () => {
    const { browser } = await signedIn({ claims: { ...PAYMENTS.claims, session_expiry: Math.floor(Date.now() / 1000) + 60 } });
    const { expires_at } = (await browser.send('GET', '/v1/me')).json<{ expires_at: string }>();
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
    const others: [Partial<OidcSettings>, number][] = [
      [{}, 200],
      [{ groups: new Map([['other', ['approver']]]) }, 401],
      [{ issuer: 'http://127.0.0.1:1' }, 401],
    ];
    for (const [more, status] of others) {
      const other = await deskWith(more, desk.dir);
      const same = new BrowserAtDesk(other.app);
      same.cookies.set(SESSION, browser.cookies.get(SESSION)!);
      expect((await same.send('GET', '/v1/me')).statusCode).toBe(status);
      await other.close();
    }
  });

  it('ends when the settings begin to have tenants, and is refused with another tenant until the name is forgotten', async () => {
    const said: Said = { claims: { ...PAYMENTS.claims, sub: 'u-4', email: 'dora@bank.example', org: 'acme' } };
    const { browser } = await signedIn(said);
    const other = await deskWith({ tenantClaim: 'org' }, desk.dir);
    const same = new BrowserAtDesk(other.app);
    same.cookies.set(SESSION, browser.cookies.get(SESSION)!);
    expect((await same.send('GET', '/v1/me')).statusCode).toBe(401);
    same.cookies.clear();
    const { url } = await begin(same);
    const answer = await back(same, issuer.agree(url, said));
    expect(answer.statusCode).toBe(403);
    expect(answer.body).toContain('Your account had another tenant');
    expect(answer.body).toContain('holdfast sign-in forget');
    expect(lines).toContainEqual(expect.objectContaining({ reason: 'other_tenant', message: 'sign-in refused' }));
    await isNobody(same);
    expect((await browser.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'dora@bank.example' });
    expect(await forgetName(other.store.registers, issuer.url, 'dora@bank.example')).toBe(true);
    const again = await begin(same);
    expect((await back(same, issuer.agree(again.url, said))).statusCode).toBe(303);
    expect((await same.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'acme/dora@bank.example' });
    await other.close();
  });
});

async function withCsrf(browser: BrowserAtDesk): Promise<BrowserAtDesk> {
  browser.csrf = (await browser.send('GET', '/v1/me')).json<{ csrf: string }>().csrf;
  return browser;
}

describe('an answer that comes back to the gateway', () => {
  it('counts for nobody but the browser that asked (login CSRF, mixed-up and replayed states)', async () => {
    const attacker = await begin();
    const query = issuer.agree(attacker.url, PAYMENTS);
    const victim = new BrowserAtDesk(desk.app);
    expect((await back(victim, query)).statusCode).toBe(400);
    await isNobody(victim);
    const other = await begin();
    expect((await back(other.browser, query)).statusCode).toBe(403);
    await isNobody(other.browser);
    // The one who asked may still finish it, once.
    const flow = attacker.browser.cookies.get(FLOW)!;
    expect((await back(attacker.browser, query)).statusCode).toBe(303);
    attacker.browser.cookies.delete(SESSION);
    expect((await back(attacker.browser, query)).statusCode).toBe(400);
    attacker.browser.cookies.set(FLOW, flow);
    expect((await back(attacker.browser, query)).statusCode).toBe(403); // the provider knows the code no more
    await isNobody(attacker.browser);
  });

  it('does not count after ten minutes, nor with two cookies, nor with one of another store', async () => {
    const { browser, url } = await begin();
    const query = issuer.agree(url, PAYMENTS);
    const flow = browser.cookies.get(FLOW)!;
    const tossed = { ...FROM_PROVIDER, cookie: `${FLOW}=${flow}; ${FLOW}=${flow}` };
    expect((await browser.send('GET', `/sign-in/oidc/callback?${query}`, undefined, tossed)).statusCode).toBe(400);
    const elsewhere = await deskWith();
    const there = new BrowserAtDesk(elsewhere.app);
    there.cookies.set(FLOW, flow);
    expect((await back(there, query)).statusCode).toBe(400);
    await elsewhere.close();
    browser.cookies.set(FLOW, flow);
    const clock = new DateAhead();
    clock.setTo(Date.now() + 601_000);
    try {
      expect((await back(browser, query)).statusCode).toBe(400);
    } finally {
      clock.restore();
    }
    await isNobody(browser);
  });

  const changed: [string, (query: URLSearchParams) => string][] = [
    ['no state', (query) => (query.delete('state'), String(query))],
    ['another state', (query) => (query.set('state', 'A'.repeat(43)), String(query))],
    ['two states', (query) => `${query}&state=${'A'.repeat(43)}`],
    ['two codes', (query) => `${query}&code=x`],
    ['another code', (query) => (query.set('code', 'x'), String(query))],
    ['no code', (query) => (query.delete('code'), String(query))],
    ['another issuer (mix-up)', (query) => (query.set('iss', 'https://evil.example'), String(query))],
    ['no issuer', (query) => (query.delete('iss'), String(query))],
    ['a refusal', () => 'error=access_denied'],
    ['a refusal with the right state', (query) => `error=access_denied&iss=${query.get('iss')}&state=${query.get('state')}`],
    ['nothing', () => ''],
    ['line breaks', (query) => `${query}&x=%0d%0aset-cookie:%20${SESSION}=evil`],
  ];
  it.each(changed)('with %s signs nobody in, and repeats nothing of the address', async (name, change) => {
    const { browser, url } = await begin();
    const answer = await back(browser, change(issuer.agree(url, PAYMENTS)));
    if (name === 'line breaks') expect(answer.headers['set-cookie']).not.toContain('evil');
    else {
      expect(answer.statusCode).toBe(403);
      await isNobody(browser);
    }
    expect(answer.body).not.toMatch(/access_denied|evil|AAAA/);
  });

  it.each([
    ['next', 'https://evil.example'],
    ['redirect_uri', 'https://evil.example'],
    ['return_to', '//evil.example'],
    ['state', '/\\evil.example'],
  ])('leads nowhere else, whatever %s says (open redirect)', async (name, value) => {
    const browser = new BrowserAtDesk(desk.app);
    const host = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', origin: '' };
    const first = await browser.send('GET', `/sign-in/oidc?${name}=${encodeURIComponent(value)}`, undefined, { origin: '' });
    expect(new URL(String(first.headers.location)).searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/sign-in/oidc/callback`);
    expect(String(first.headers.location)).not.toContain('evil');
    // Over loopback, and where names are configured, such a Host is refused; elsewhere it changes nothing.
    const forwarded = await browser.send('GET', '/sign-in/oidc', undefined, { ...host, host: 'desk.bank.example' });
    expect(String(forwarded.headers.location)).not.toContain('evil');
    const query = issuer.agree(String(forwarded.headers.location), PAYMENTS);
    if (name !== 'state') query.set(name, value);
    expect((await back(browser, query)).headers.location).toBe(`${PUBLIC_URL}/`);
  });
});

describe('an ID token', () => {
  const forged: [string, () => Said['forge'] & object][] = [
    ['of another issuer', () => ({ claims: { iss: 'https://id.evil.example' } })],
    ['for another client', () => ({ claims: { aud: 'wiki' } })],
    ['for several clients, and of another one', () => ({ claims: { aud: ['desk', 'wiki'], azp: 'wiki' } })],
    ['for no client', () => ({ claims: { aud: undefined } })],
    ['of another sign-in (nonce)', () => ({ claims: { nonce: 'x'.repeat(43) } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['that is over', () => ({ claims: { exp: 1_000_000 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['with a subject that is not text', () => ({ claims: { sub: ['u-1'] } })],
    ['signed by a stranger', () => ({ key: stranger.privateKey })],
    ['signed with another key id', () => ({ header: { kid: 'k2' } })],
    ['without a signature', () => ({ token: `${b64({ alg: 'none' })}.${b64({ sub: 'u-1', groups: ['payments'] })}.` })],
    ['signed with the public key as a secret', () => ({ header: { alg: 'HS256' } })],
    ['that is none', () => ({ token: 'e30.e30' })],
    ['of a megabyte of zeros', () => ({ token: '0'.repeat(1_000_000) })],
  ];
  it.each(forged)('%s signs nobody in', async (_name, forge) => {
    const { browser, answer } = await signedIn({ ...PAYMENTS, forge: forge() });
    expect([403, 503]).toContain(answer.statusCode);
    await isNobody(browser);
  });

  it('is not completed by the user info of somebody else', async () => {
    const { browser, answer } = await signedIn({ userinfo: { sub: 'u-2', groups: ['payments'] } });
    expect([403, 503]).toContain(answer.statusCode);
    await isNobody(browser);
  });

  it('with claims that say who may what changes no role: only the groups of the settings do', async () => {
    const said = { claims: { ...PAYMENTS.claims, roles: ['admin'], role: 'admin', scope: 'admin', __proto__: { x: 1 } } };
    const { browser } = await signedIn(said);
    expect((await browser.send('GET', '/v1/me')).json()).toMatchObject({ roles: ['approver'] });
    expect((await browser.send('GET', '/metrics')).statusCode).toBe(403);
  });
});

describe('a person without a role', () => {
  it.each([
    ['no groups', {}],
    ['groups that nobody has mapped', { groups: ['interns'] }],
    ['groups that are not text', { groups: [{ payments: true }, 7] }],
    ['the name of a role as a group', { groups: ['approver', 'admin'] }],
  ])('with %s gets a page that says so, and is not signed in', async (_name, claims) => {
    const { browser, answer } = await signedIn({ claims });
    expect(answer.statusCode).toBe(403);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('You have no role here');
    expect(answer.body).not.toContain('<script');
    await isNobody(browser);
  });

  it('reads nothing of other people on that page, and no markup of the provider', async () => {
    const sub = `<img src=x onerror=alert(1)>`;
    const { answer } = await signedIn({ claims: { sub, groups: ['<script>alert(1)</script>'] } });
    expect(answer.body).not.toMatch(/onerror|alert/);
  });
});

describe('a provider that does not answer', () => {
  it('does not keep the gateway from starting, and is asked again, but not by every request', async () => {
    issuer.isDown = true;
    const other = await deskWith();
    const browser = new BrowserAtDesk(other.app);
    try {
      expect((await browser.send('GET', '/v1/sign-in')).json()).toEqual({ oidc: true, tokens: false, provider_answers: false });
      const before = issuer.asked.length;
      for (let n = 0; n < 5; n++) {
        const answer = await browser.send('GET', '/sign-in/oidc');
        expect([answer.statusCode, answer.headers.location]).toEqual([503, undefined]);
        expect(answer.body).toContain('does not answer');
      }
      expect(issuer.asked.length).toBe(before);
      issuer.isDown = false;
      const now = jest.spyOn(performance, 'now');
      const present = performance.now();
      now.mockReturnValue(present + FIND_AGAIN_AFTER_MS + 1);
      expect((await browser.send('GET', '/v1/sign-in')).json()).toMatchObject({ provider_answers: true });
      now.mockRestore();
      expect(lines).toContainEqual(
        expect.objectContaining({ message: 'the OpenID provider does not answer', todo: expect.any(String) }),
      );
    } finally {
      issuer.isDown = false;
      await other.close();
    }
  });

  it('or says that it is another one, leads nowhere', async () => {
    for (const metadata of [{ issuer: 'https://evil.example' }, { authorization_endpoint: undefined }, { issuer: undefined }]) {
      issuer.metadata = metadata;
      const other = await deskWith();
      const answer = await new BrowserAtDesk(other.app).send('GET', '/sign-in/oidc');
      expect([answer.statusCode, answer.headers.location]).toEqual([503, undefined]);
      await other.close();
    }
    issuer.metadata = {};
  });
});

it('a silent provider keeps nobody waiting at the page', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const other = await deskWith({ issuer: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
  expect((await new BrowserAtDesk(other.app).send('GET', '/v1/sign-in')).json()).toMatchObject({ provider_answers: false });
  silent.closeAllConnections();
  silent.close();
  await other.close();
});

it('the redirect address is the same when it comes back, however the settings write the host', async () => {
  const other = await openDesk({ limits: { oidc: settings() }, url: 'https://Desk.Bank.Example:443' });
  const browser = new BrowserAtDesk(other.app);
  const { url } = await begin(browser);
  expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/sign-in/oidc/callback`);
  expect((await back(browser, issuer.agree(url, PAYMENTS))).statusCode).toBe(303);
  await other.close();
});

it('nothing of a sign-in that is secret is in the log', async () => {
  const { browser, query, url } = await signedIn();
  await signedIn({ claims: { groups: ['interns'] } });
  const { nonce, state } = Object.fromEntries(new URL(url).searchParams) as { nonce: string; state: string };
  const text = JSON.stringify(lines);
  for (const secret of [query.get('code')!, nonce, state, browser.cookies.get(SESSION)!, issuer.clientSecret])
    expect(text).not.toContain(secret);
  expect(lines).toContainEqual({ principal: 'ana@bank.example', by: 'oidc', message: 'signed in' });
  expect(lines).toContainEqual(expect.objectContaining({ reason: 'no_group', message: 'sign-in refused' }));
});

it('a gateway without a provider says so', async () => {
  const other = await openDesk({});
  const browser = new BrowserAtDesk(other.app);
  for (const url of ['/sign-in/oidc', '/sign-in/oidc/callback?code=x&state=y'])
    expect((await browser.send('GET', url)).statusCode).toBe(404);
  await other.close();
});

function b64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
