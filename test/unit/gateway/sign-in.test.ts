import { Ajv } from 'ajv';
import { gatewayApp } from '../../../src/gateway/app';
import { loadConfig } from '../../../src/config';
import { gatewayParts, person } from '../../support/gateway';
import { BrowserAtDesk, openDesk } from '../../support/sign-in';

const ana = person('acme/ana', 'approver');
const treasurer = person('tess', 'treasurer');

describe('a person with a token', () => {
  it('signs in at the page, sees who they are, acts, and signs out', async () => {
    const pending: object[] = [];
    const client = async () => ({ inbox: { pending: async (sight: object) => (pending.push({ sight }), []) } }) as never;
    const desk = await openDesk({ people: [ana], client });
    const browser = new BrowserAtDesk(desk.app);
    expect((await browser.send('GET', '/v1/sign-in')).json()).toEqual({ oidc: false, tokens: true, provider_answers: null });
    expect((await browser.send('GET', '/v1/me')).statusCode).toBe(401);
    const answer = await browser.signIn(ana);
    const me = answer.json<{ idle_expires_at: string; expires_at: string }>();
    expect(me).toEqual({
      principal: 'acme/ana',
      roles: ['approver'],
      sign_in: 'token',
      csrf: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      idle_expires_at: expect.any(String),
      expires_at: expect.any(String),
    });
    const [idle, all] = [me.idle_expires_at, me.expires_at].map((at) => Math.round((Date.parse(at) - Date.now()) / 60_000));
    expect([idle, all]).toEqual([30, 720]);
    expect(answer.headers['set-cookie']).toMatch(/^__Host-holdfast=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    expect(answer.body).not.toContain(browser.cookies.get('__Host-holdfast'));
    expect((await browser.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'acme/ana', csrf: browser.csrf });
    expect((await browser.send('GET', '/v1/pending')).statusCode).toBe(200);
    expect(pending).toEqual([{ sight: { tenant: 'acme' } }]);
    expect((await browser.send('POST', '/v1/sign-out')).json()).toEqual({ signed_out: true, next: null });
    expect((await browser.send('GET', '/v1/me')).statusCode).toBe(401);
    await desk.close();
  });

  it('whose roles are only those that approvals ask for sees who they are', async () => {
    const desk = await openDesk({ people: [treasurer] });
    const browser = new BrowserAtDesk(desk.app);
    await browser.signIn(treasurer);
    expect((await browser.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'tess', roles: ['treasurer'] });
    expect((await browser.send('GET', '/v1/pending')).statusCode).toBe(403);
    await desk.close();
  });

  it('is signed in below a path too, and on this machine without TLS', async () => {
    for (const [url, name, path] of [
      ['https://bank.example/desk', '__Secure-holdfast', '/desk'],
      ['http://localhost:8480', 'holdfast', '/'],
    ] as const) {
      const desk = await openDesk({ people: [ana], url });
      const browser = new BrowserAtDesk(desk.app, url);
      const { headers } = await browser.signIn(ana);
      expect(headers['set-cookie']).toContain(`${name}=`);
      expect(headers['set-cookie']).toContain(`; Path=${path};`);
      expect((await browser.send('GET', '/v1/me')).statusCode).toBe(200);
      await desk.close();
    }
  });

  it('stays signed in at another gateway of the store, and after a restart', async () => {
    const desk = await openDesk({ people: [ana] });
    const browser = new BrowserAtDesk(desk.app);
    await browser.signIn(ana);
    const other = await openDesk({ people: [ana] }, desk.dir);
    const same = new BrowserAtDesk(other.app);
    for (const [name, value] of browser.cookies) same.cookies.set(name, value);
    expect((await same.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'acme/ana', csrf: browser.csrf });
    same.csrf = browser.csrf;
    await same.send('POST', '/v1/sign-out');
    expect((await browser.send('GET', '/v1/me')).statusCode).toBe(401);
    await other.close();
    await desk.close();
  });

  it('who signs in again in the same browser ends the earlier sign-in', async () => {
    const desk = await openDesk({ people: [ana, treasurer] });
    const browser = new BrowserAtDesk(desk.app);
    await browser.signIn(ana);
    const first = browser.cookies.get('__Host-holdfast')!;
    await browser.signIn(treasurer);
    const old = new BrowserAtDesk(desk.app);
    old.cookies.set('__Host-holdfast', first);
    expect((await old.send('GET', '/v1/me')).statusCode).toBe(401);
    expect((await browser.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'tess' });
    await desk.close();
  });

  it('may still use it as a program, where a sign-out has nothing to end', async () => {
    const desk = await openDesk({ people: [ana] });
    const me = await desk.app.inject({ url: '/v1/me', headers: ana.headers });
    const nothing = { csrf: null, idle_expires_at: null, expires_at: null };
    expect(me.json()).toEqual({ principal: 'acme/ana', roles: ['approver'], sign_in: 'bearer', ...nothing });
    const out = await desk.app.inject({ method: 'POST', url: '/v1/sign-out', headers: ana.headers });
    expect([out.statusCode, out.json<{ error: { reason: string } }>().error.reason]).toEqual([400, 'no_sign_in']);
    await desk.close();
  });

  it('is told what to do if the token is wrong, or nobody can sign in', async () => {
    const desk = await openDesk({ people: [ana] });
    const wrong = await new BrowserAtDesk(desk.app).send('POST', '/v1/sign-in', { token: 'x'.repeat(40) });
    expect([wrong.statusCode, wrong.headers['set-cookie']]).toEqual([401, undefined]);
    expect(wrong.json()).toMatchObject({ error: { reason: 'unknown_token', hint: expect.stringContaining('HOLDFAST_TOKENS') } });
    await desk.close();
    const app = gatewayApp(gatewayParts({ people: [ana] }));
    expect((await app.inject({ url: '/v1/sign-in' })).json()).toEqual({ oidc: false, tokens: false, provider_answers: null });
    expect((await new BrowserAtDesk(app).send('POST', '/v1/sign-in', { token: ana.token })).statusCode).toBe(404);
    await app.close();
  });

  it('gets answers that fit the document', async () => {
    const desk = await openDesk({ people: [ana] });
    const { paths } = (await desk.app.inject({ url: '/openapi.json' })).json<{ paths: Record<string, any> }>();
    const browser = new BrowserAtDesk(desk.app);
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const [method, url, payload] of [
      ['GET', '/v1/sign-in', undefined],
      ['POST', '/v1/sign-in', { token: ana.token }],
      ['GET', '/v1/me', undefined],
    ] as const) {
      const body = (await browser.send(method, url, payload)).json<object>();
      const { schema } = paths[url][method.toLowerCase()].responses[200].content['application/json'];
      expect({ url, fits: ajv.validate(schema, body) }).toEqual({ url, fits: true });
    }
    await desk.close();
  });
});

describe('the settings of the sign-in', () => {
  const GROUPS = '{"payments":["approver","treasurer"]}';
  const FULL = { HOLDFAST_OIDC_ISSUER: 'https://id.example', HOLDFAST_OIDC_CLIENT_ID: 'desk', HOLDFAST_OIDC_GROUPS: GROUPS };

  it('have no provider by default, and end a sign-in after 30 minutes without use, or 12 hours', () => {
    expect(loadConfig({}).http.signIn).toEqual({ oidc: null, idleMs: 1_800_000, longestMs: 43_200_000 });
  });

  it('name a provider, its client, and the roles of its groups', () => {
    const { signIn } = loadConfig({ ...FULL, HOLDFAST_SIGN_IN_IDLE_MINUTES: '5', HOLDFAST_SIGN_IN_HOURS: '8' }).http;
    expect(signIn).toMatchObject({ idleMs: 300_000, longestMs: 28_800_000 });
    expect(signIn.oidc).toEqual({
      issuer: 'https://id.example',
      clientId: 'desk',
      clientSecret: null,
      groups: new Map([['payments', ['approver', 'treasurer']]]),
      groupsClaim: 'groups',
      nameClaim: null,
      tenantClaim: null,
      scopes: 'openid email',
    });
    expect(loadConfig({ ...FULL, HOLDFAST_OIDC_ISSUER: 'http://localhost:9000/realm' }).http.signIn.oidc?.issuer).toMatch(
      /^http:/,
    );
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['without groups', { HOLDFAST_OIDC_GROUPS: '' }, /^HOLDFAST_OIDC_GROUPS is not set; to sign people in/],
    [
      'without an issuer and a client',
      { HOLDFAST_OIDC_ISSUER: '', HOLDFAST_OIDC_CLIENT_ID: '' },
      /ISSUER and HOLDFAST_OIDC_CLIENT_ID are/,
    ],
    ['without TLS', { HOLDFAST_OIDC_ISSUER: 'http://id.example' }, /^HOLDFAST_OIDC_ISSUER is .*must be an https URL/],
    ['with groups that are not JSON', { HOLDFAST_OIDC_GROUPS: 'payments=approver' }, /^HOLDFAST_OIDC_GROUPS is .*must be JSON/],
    ['with groups that map to no list', { HOLDFAST_OIDC_GROUPS: '{"payments":"approver"}' }, /^HOLDFAST_OIDC_GROUPS is/],
    ['with no group', { HOLDFAST_OIDC_GROUPS: '{}' }, /^HOLDFAST_OIDC_GROUPS is/],
    ['with a role that is none', { HOLDFAST_OIDC_GROUPS: '{"payments":["approver admin"]}' }, /^HOLDFAST_OIDC_GROUPS is/],
    ['without the scope openid', { HOLDFAST_OIDC_SCOPES: 'email groups' }, /^HOLDFAST_OIDC_SCOPES is .*openid among them/],
    ['that never end', { HOLDFAST_SIGN_IN_HOURS: '9999' }, /^HOLDFAST_SIGN_IN_HOURS is "9999"/],
    ['that end at once', { HOLDFAST_SIGN_IN_IDLE_MINUTES: '0' }, /^HOLDFAST_SIGN_IN_IDLE_MINUTES is "0"/],
  ])('%s stop the process with one line', (_name, more, message) => {
    expect(() => loadConfig({ ...FULL, ...more })).toThrow(message);
  });

  const JWT = { issuer: 'https://id.example/', audience: 'holdfast', jwks_url: 'https://id.example/keys' };
  const named = (jwt: object, more: Record<string, string> = {}) =>
    loadConfig({ ...FULL, ...more, HOLDFAST_JWT: JSON.stringify({ ...JWT, ...jwt }) });

  it('name the people of an issuer of JWTs by the same claims, so that nobody is two principals', () => {
    expect(() => named({})).toThrow(/^HOLDFAST_OIDC_NAME_CLAIM is not set, but "principal_claim" of HOLDFAST_JWT is "sub".*=sub/);
    const sub = { HOLDFAST_OIDC_NAME_CLAIM: 'sub' };
    expect(() => named({ principal_claim: 'email' }, sub)).toThrow(/^HOLDFAST_OIDC_NAME_CLAIM is "sub", .*=email/);
    expect(() => named({ tenant_claim: 'org' }, sub)).toThrow(/^HOLDFAST_OIDC_TENANT_CLAIM is not set, .*=org/);
    expect(() => named({}, { ...sub, HOLDFAST_OIDC_TENANT_CLAIM: 'org' })).toThrow(/unset HOLDFAST_OIDC_TENANT_CLAIM/);
    expect(named({}, sub).http).toMatchObject({ jwt: { principal_claim: 'sub' }, signIn: { oidc: { nameClaim: 'sub' } } });
    expect(named({ issuer: 'https://other.example' }).http.signIn.oidc?.nameClaim).toBeNull();
  });

  it('never show the secret of the client', () => {
    const secret = { HOLDFAST_OIDC_CLIENT_SECRET: 'top secret \u0007' };
    expect(() => loadConfig({ ...FULL, ...secret })).toThrow(/^HOLDFAST_OIDC_CLIENT_SECRET is not usable/);
    expect(() => loadConfig({ HOLDFAST_OIDC_CLIENT_SECRET: 'top secret' })).toThrow(/^(?!.*top secret).*are not set/);
  });
});
