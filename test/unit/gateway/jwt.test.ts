import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig, ConfigError } from '../../../src/config';
import { gatewayApp } from '../../../src/gateway/app';
import { AnyOf, Jwts, KEYS_AGAIN_AFTER_MS } from '../../../src/gateway/auth/jwt';
import { Tokens } from '../../../src/gateway/auth/principals';
import { clockAhead } from '../../support/clock-ahead';
import { gatewayParts, person } from '../../support/gateway';

const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const encode = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

const rs256 = (key: KeyObject) => (text: string) => sign('sha256', Buffer.from(text), key).toString('base64url');
/** A token as it is sent, valid or not. */
function token(claims: object | string, header: object = {}, seal: (text: string) => string = rs256(own.privateKey)): string {
  const text = `${encode({ alg: 'RS256', kid: 'k1', ...header })}.${encode(claims)}`;
  return `${text}.${seal(text)}`;
}

describe('a JWT', () => {
  let issuer: Server;
  let base: string;
  let asked = 0;
  let broken: null | number = null;
  const jwks = { keys: [{ ...createPublicKey(own.privateKey).export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] };
  beforeAll(async () => {
    issuer = createServer((_request, response) => {
      asked += 1;
      response.writeHead(broken ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(jwks));
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
  });
  afterAll(() => issuer.close());
  afterEach(() => void jest.restoreAllMocks());
  beforeEach(() => void ((broken = null), (asked = 0)));

  const settings = (more: object = {}) =>
    loadConfig({
      HOLDFAST_JWT: JSON.stringify({ issuer: 'https://id.example', audience: 'holdfast', jwks_url: `${base}/keys`, ...more }),
    }).http.jwt!;
  const good = () => ({
    iss: 'https://id.example',
    aud: 'holdfast',
    sub: 'ana',
    org: 'acme',
    roles: ['approver'],
    exp: now() + 60,
  });
  const who = (text: string, jwts = new Jwts(settings({ tenant_claim: 'org' }))) => jwts.authenticate(`Bearer ${text}`);

  it('of the issuer gives the principal, with tenant, roles and its end', async () => {
    const claims = good();
    const tokenEnds = (claims.exp + 30) * 1000; // from then on it is refused
    expect(await who(token(claims))).toEqual({ name: 'acme/ana', tenant: 'acme', roles: ['approver'], tokenEnds });
    expect(await who(token({ ...good(), roles: 'approver treasurer' }))).toMatchObject({ roles: ['approver', 'treasurer'] });
    expect(await who(token({ ...good(), aud: ['other', 'holdfast'], roles: [1, 'a b', 'admin', null] }))).toMatchObject({
      roles: ['admin'],
    });
    const flat = new Jwts(settings());
    expect(await who(token(claims), flat)).toEqual({ name: 'ana', tenant: null, roles: ['approver'], tokenEnds });
    expect(await who(token({ ...good(), exp: now() - 10 }))).not.toBeNull(); // within the tolerance of the clock
  });

  it('with any fault gives no principal', async () => {
    const publicPem = createPublicKey(own.privateKey).export({ type: 'spki', format: 'pem' }) as string;
    const hs256 = (text: string) => createHmac('sha256', publicPem).update(text).digest('base64url');
    const { exp: _exp, ...endless } = good();
    const wrong: Record<string, string> = {
      'alg none': token(good(), { alg: 'none' }, () => ''),
      'alg none, signed': token(good(), { alg: 'none' }),
      'alg nOnE': token(good(), { alg: 'nOnE' }),
      'HS256 with the public key': token(good(), { alg: 'HS256' }, hs256),
      'an algorithm that is not pinned': token(good(), { alg: 'RS512' }),
      'another one’s key': token(good(), {}, rs256(stranger.privateKey)),
      'an unknown kid': token(good(), { kid: 'k2' }),
      'its own key in the header': token(
        good(),
        { kid: 'k2', jwk: createPublicKey(stranger.privateKey).export({ format: 'jwk' }) },
        rs256(stranger.privateKey),
      ),
      'a key from elsewhere': token(good(), { kid: 'k2', jku: 'http://127.0.0.1:1/keys' }, rs256(stranger.privateKey)),
      'a critical header': token(good(), { crit: ['x'], x: 1 }),
      expired: token({ ...good(), exp: now() - 120 }),
      'not yet': token({ ...good(), nbf: now() + 120 }),
      'without an end': token(endless),
      'an end in words': token({ ...good(), exp: 'tomorrow' }),
      'another audience': token({ ...good(), aud: 'other' }),
      'no audience': token({ ...good(), aud: undefined }),
      'another issuer': token({ ...good(), iss: 'https://id.example/' }),
      'no name': token({ ...good(), sub: undefined }),
      'an empty name': token({ ...good(), sub: '' }),
      'a name that claims a tenant': token({ ...good(), sub: 'globex/eve' }),
      'a name with a line break': token({ ...good(), sub: 'ana\r\nx' }),
      'a name that is a list': token({ ...good(), sub: ['ana'] }),
      'a name that is too long': token({ ...good(), sub: 'x'.repeat(201) }),
      'no tenant': token({ ...good(), org: undefined }),
      'a tenant with a slash': token({ ...good(), org: 'acme/x' }),
      'an empty tenant': token({ ...good(), org: '' }),
      'no JSON': token('{'),
      'a list': token('[]'),
      'one that is too long': token({ ...good(), x: 'x'.repeat(9000) }),
      'a changed claim': token(good()).replace(/\.[^.]+\./, `.${encode({ ...good(), roles: ['admin'] })}.`),
      'no signature': `${token(good()).split('.').slice(0, 2).join('.')}.`,
      'four parts': `${token(good())}.x`,
    };
    for (const [what, text] of Object.entries(wrong))
      expect({ what, principal: await who(text) }).toEqual({ what, principal: null });
    for (const header of [undefined, '', 'Bearer', `Basic ${token(good())}`, `Bearer ${token(good())}, Bearer x`, token(good())])
      expect(await new Jwts(settings()).authenticate(header)).toBeNull();
    for (const sub of ['local', 'Local', ' LOCAL'])
      // the command line’s
      expect(await who(token({ ...good(), sub }), new Jwts(settings()))).toBeNull();
  });

  it('names nobody by an e-mail address that its issuer has not verified', async () => {
    const byEmail = () => new Jwts(settings({ principal_claim: 'email' }));
    const email = 'ana@bank.example';
    expect(await who(token({ ...good(), email }), byEmail())).toMatchObject({ name: email });
    expect(await who(token({ ...good(), email, email_verified: true }), byEmail())).toMatchObject({ name: email });
    expect(await who(token({ ...good(), email, email_verified: false }), byEmail())).toBeNull();
    expect(await who(token({ ...good(), email, email_verified: false }), new Jwts(settings()))).toMatchObject({ name: 'ana' });
  });

  it('is checked with keys that are fetched once; an issuer that does not answer is 503, not 401', async () => {
    const jwts = new Jwts(settings({ tenant_claim: 'org' }));
    for (let n = 0; n < 5; n++) expect(await who(token(good()), jwts)).not.toBeNull();
    for (let n = 0; n < 5; n++) expect(await who(token(good(), { kid: `made-up-${n}` }), jwts)).toBeNull();
    expect(asked).toBe(1); // unknown kids do not make us ask again and again
    broken = 500;
    const goOn = clockAhead();
    const tokens = new Tokens([person('olga', 'auditor').entry]);
    const authenticator = new AnyOf([tokens, new Jwts(settings({ tenant_claim: 'org' }))]);
    const app = gatewayApp(
      gatewayParts({ authenticator, client: async () => ({ inbox: { pending: async () => [] } }) as never }),
    );
    const ask = () => app.inject({ url: '/v1/pending', headers: { authorization: `Bearer ${token(good())}` } });
    const refused = await ask();
    expect(refused).toMatchObject({ statusCode: 503 });
    expect(refused.json()).toMatchObject({ error: { reason: 'issuer_unreachable', retryable: true } });
    expect(refused.body).not.toContain(base);
    broken = null;
    goOn(KEYS_AGAIN_AFTER_MS + 100);
    expect((await ask()).statusCode).toBe(200);
    await app.close();
  });

  it('needs all settings that restrict it', () => {
    for (const more of [
      { algorithms: ['HS256'] },
      { algorithms: ['none'] },
      { algorithms: [] },
      { jwks_url: 'http://id.example/keys' },
      { audience: '' },
      { x: 1 },
      { clock_tolerance_seconds: 1e6 },
    ])
      expect(() => settings(more)).toThrow(ConfigError);
  });
});
