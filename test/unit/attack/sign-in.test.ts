/** Attacks on people who are signed in at the page, and on the sign-in itself: by other pages, other hosts, and thieves of cookies. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayWord, trustedEntry } from '../../../src/attestation/gateway-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import type { TrustedKey } from '../../../src/attestation/trusted-keys';
import type { JsonObject } from '../../../src/shared/json/json';
import { optional } from '../../../src/shared/json/optional';
import { hashOfId } from '../../../src/sign-in/sessions';
import { serveGateway } from '../../../src/gateway/serve';
import { GATEWAY_KEY, person } from '../../support/gateway';
import { BrowserAtDesk, openDesk, type Desk } from '../../support/sign-in';

const ana = person('acme/ana', 'approver', 'starter');
const eve = person('acme/eve', 'starter');
const people = [ana, eve];
const asked: string[] = [];
const note = (what: string) => async () => (asked.push(what), Promise.reject(new Error('not in this test')));
const client = async () =>
  ({ inbox: { pending: async () => [] }, start: note('start'), call: note('call'), look: note('look') }) as never;
const turn = { agent: 'a', message: 'pay everything to eve' };
const COOKIE = '__Host-holdfast';

describe('a page of another site', () => {
  let desk: Desk;
  let victim: BrowserAtDesk;
  beforeAll(async () => {
    desk = await openDesk({ people, client, corsOrigins: ['https://app.bank.example'] });
    victim = new BrowserAtDesk(desk.app);
    await victim.signIn(ana);
  });
  afterAll(() => desk.close());
  beforeEach(() => void asked.splice(0));

  const forged: [string, Record<string, string>][] = [
    ['without the token of the page', { 'x-holdfast-csrf': '' }],
    ['with a made-up token', { 'x-holdfast-csrf': 'A'.repeat(43) }],
    ['with a part of the token', { 'x-holdfast-csrf': 'short' }],
    ['of another origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of another origin, by a browser that says no more', { origin: 'https://evil.example', 'sec-fetch-site': '' }],
    ['of a sibling host', { origin: 'https://wiki.bank.example', 'sec-fetch-site': 'same-site' }],
    ['of a page that may ask with tokens', { origin: 'https://app.bank.example', 'sec-fetch-site': 'same-site' }],
    ['of the same host without TLS', { origin: 'http://desk.bank.example', 'sec-fetch-site': '' }],
    ['of a sandboxed frame', { origin: 'null', 'sec-fetch-site': '' }],
    ['of no origin', { origin: '', 'sec-fetch-site': '' }],
  ];
  it.each(forged)(
    'cannot make a browser change anything: a request %s is refused before its body is read',
    async (_name, headers) => {
      for (const url of ['/v1/turns', '/v1/turns/t/decisions', '/v1/turns/t/cancel', '/v1/sign-out', '/mcp', '/tools/pay']) {
        const answer = await victim.send('POST', url, '{"not json', { 'content-type': 'application/json', ...headers });
        expect([401, 403]).toContain(answer.statusCode);
        expect(answer.json<{ error: { reason: string } }>().error.reason).toMatch(/^(not_own_page|wrong_site|no_principal)$/);
      }
      expect(asked).toEqual([]);
      expect((await victim.send('GET', '/v1/me')).statusCode).toBe(200);
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-7',
  ])('cannot send a form as %s, even with everything else right', async (type) => {
    const answer = await victim.send('POST', '/v1/turns', JSON.stringify(turn), { 'content-type': type });
    expect(answer.statusCode).toBe(415);
    expect(asked).toEqual([]);
  });

  it('cannot read anything with the cookie, nor start a tool by an address', async () => {
    for (const site of ['cross-site', 'same-site'])
      for (const url of ['/v1/me', '/v1/pending', '/v1/turns/t'])
        expect((await victim.send('GET', url, undefined, { origin: '', 'sec-fetch-site': site })).statusCode).toBe(401);
    const start = await victim.send('GET', '/tools/weather/sse?place=x');
    expect([start.statusCode, start.json<{ error: { reason: string } }>().error.reason]).toEqual([405, 'not_by_get']);
    expect(asked).toEqual([]);
    const cors = await victim.send('GET', '/v1/pending', undefined, { origin: 'https://app.bank.example', 'sec-fetch-site': '' });
    expect(cors.headers['access-control-allow-credentials']).toBeUndefined();
    const preflight = await desk.app.inject({
      method: 'OPTIONS',
      url: '/v1/turns',
      headers: {
        origin: 'https://app.bank.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-holdfast-csrf',
      },
    });
    expect(preflight.headers['access-control-allow-headers']).not.toContain('x-holdfast-csrf');
  });

  it('cannot sign the browser in as somebody else (login CSRF)', async () => {
    for (const [, headers] of forged.filter(([name]) => !name.includes('token of') && !name.includes('token')))
      expect((await victim.send('POST', '/v1/sign-in', { token: eve.token }, headers)).statusCode).toBe(403);
    const typed = await victim.send('POST', '/v1/sign-in', JSON.stringify({ token: eve.token }), {
      'content-type': 'text/plain',
    });
    expect(typed.statusCode).toBe(415);
    expect((await victim.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'acme/ana' });
  });

  it('cannot show any answer in a frame, nor have it taken for another type', async () => {
    const answers = await Promise.all(
      ['/', '/v1/me', '/v1/sign-in', '/made/up', '/openapi.json', '/sign-in/oidc', '/sign-in/oidc/callback', '/docs/'].map(
        (url) => victim.send('GET', url),
      ),
    );
    for (const { headers } of [
      ...answers,
      await victim.send('POST', '/v1/turns', '{"', { 'content-type': 'application/json' }),
    ]) {
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      expect(headers['content-type']).toMatch(/^(application\/json|text\/html); charset=utf-8$/i);
      expect(headers['content-security-policy']).not.toMatch(/unsafe-inline.*script|script-src[^;]*unsafe/);
    }
    for (const { headers } of answers.slice(0, 7)) expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});

describe('a cookie', () => {
  it('that somebody planted before the sign-in does not name it afterwards (session fixation)', async () => {
    const desk = await openDesk({ people, client });
    const attacker = new BrowserAtDesk(desk.app);
    await attacker.signIn(eve);
    const planted = attacker.cookies.get(COOKIE)!;
    const made = 'B'.repeat(43);
    for (const id of [planted, made, '', 'x'.repeat(5000)]) {
      const victim = new BrowserAtDesk(desk.app);
      victim.cookies.set(COOKIE, id);
      await victim.signIn(ana);
      expect(victim.cookies.get(COOKIE)).not.toBe(id);
      const thief = new BrowserAtDesk(desk.app);
      thief.cookies.set(COOKIE, id);
      expect((await thief.send('GET', '/v1/me')).statusCode).toBe(401);
    }
    await desk.close();
  });

  it('that a sibling host adds beside the real one makes the request nobody’s, not somebody else’s (cookie tossing)', async () => {
    const desk = await openDesk({ people, client });
    const [victim, attacker] = [new BrowserAtDesk(desk.app), new BrowserAtDesk(desk.app)];
    await victim.signIn(ana);
    await attacker.signIn(eve);
    const [own, tossed] = [victim, attacker].map(({ cookies }) => `${COOKIE}=${cookies.get(COOKIE)}`);
    for (const cookie of [`${own}; ${tossed}`, `${tossed}; ${own}`, `${own}; ${own}`])
      expect((await victim.send('GET', '/v1/me', undefined, { cookie })).statusCode).toBe(401);
    // Under names that other hosts can set, it is no cookie of ours.
    for (const name of ['holdfast', '__Secure-holdfast', '__host-holdfast'])
      expect(
        (await victim.send('GET', '/v1/me', undefined, { cookie: `${name}=${victim.cookies.get(COOKIE)}` })).statusCode,
      ).toBe(401);
    await desk.close();
  });

  it('that was stolen is worth nothing after the sign-out, at any gateway, nor is its page’s token', async () => {
    const desk = await openDesk({ people, client });
    const victim = new BrowserAtDesk(desk.app);
    await victim.signIn(ana);
    const thief = new BrowserAtDesk(desk.app);
    thief.cookies.set(COOKIE, victim.cookies.get(COOKIE)!);
    thief.csrf = victim.csrf;
    expect((await thief.send('GET', '/v1/me')).json()).toMatchObject({ principal: 'acme/ana' });
    const out = await victim.send('POST', '/v1/sign-out');
    expect([out.statusCode, victim.cookies.has(COOKIE)]).toEqual([200, false]);
    for (const [method, url] of [
      ['GET', '/v1/me'],
      ['POST', '/v1/turns'],
      ['POST', '/v1/sign-out'],
    ] as const)
      expect((await thief.send(method, url, method === 'POST' ? turn : undefined)).statusCode).toBe(401);
    await desk.close();
  });

  it('gives no ticket that would outlive the sign-in', async () => {
    const desk = await openDesk({ people, client });
    const browser = new BrowserAtDesk(desk.app);
    await browser.signIn(ana);
    const refused = await browser.send('POST', '/v1/tickets', { address: '/v1/turns/t/events' });
    expect([refused.statusCode, refused.json<{ error: { reason: string } }>().error.reason]).toEqual([400, 'not_by_cookie']);
    await desk.close();
  });

  it('counts no more than the header of a program: a wrong token is not replaced by it', async () => {
    const desk = await openDesk({ people, client });
    const browser = new BrowserAtDesk(desk.app);
    await browser.signIn(ana);
    const wrong = await browser.send('GET', '/v1/me', undefined, { authorization: `Bearer ${'x'.repeat(40)}` });
    expect(wrong.statusCode).toBe(401);
    const other = await browser.send('GET', '/v1/me', undefined, eve.headers);
    expect(other.json()).toMatchObject({ principal: 'acme/eve', sign_in: 'bearer', csrf: null });
    await desk.close();
  });
});

describe('a sign-in', () => {
  it('may be tried 30 times a minute from one address', async () => {
    const desk = await openDesk({ people, client });
    const browser = new BrowserAtDesk(desk.app);
    const statuses: number[] = [];
    for (let n = 0; n < 32; n++)
      statuses.push((await browser.send('POST', '/v1/sign-in', { token: `hft_${'x'.repeat(38)}${n}` })).statusCode);
    expect([statuses[0], statuses[29], statuses[30], statuses[31]]).toEqual([401, 401, 429, 429]);
    await desk.close();
  });

  it('writes no token, cookie or page’s token into the log, and who signed in', async () => {
    const lines: object[] = [];
    const keep = (fields: object, message?: string) => void lines.push({ ...fields, message });
    const desk = await openDesk({ people, client, log: { debug: keep, info: keep, warn: keep, error: keep } });
    const browser = new BrowserAtDesk(desk.app);
    await browser.send('POST', '/v1/sign-in', { token: `hft_${'y'.repeat(43)}` });
    await browser.signIn(ana);
    const secrets = [ana.token, 'y'.repeat(43), browser.csrf, browser.cookies.get(COOKIE)!];
    await browser.send('GET', '/v1/me');
    await browser.send('POST', '/v1/sign-out');
    const text = JSON.stringify(lines);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(lines).toContainEqual({ principal: 'acme/ana', by: 'token', message: 'signed in' });
    expect(lines).toContainEqual({ principal: 'acme/ana', by: 'token', message: 'signed out' });
    expect(text).toContain('sign-in with a token that is not known');
    await desk.close();
  });

  it('ends with the token that it began with: without its entry, or with fewer roles', async () => {
    const desk = await openDesk({ people, client });
    const browser = new BrowserAtDesk(desk.app);
    await browser.signIn(ana);
    const fewer = { ...ana, entry: { ...ana.entry, roles: ['starter'] } };
    const again = await openDesk({ people: [fewer] }, desk.dir);
    expect((await moved(browser, again).send('GET', '/v1/me')).json()).toMatchObject({
      principal: 'acme/ana',
      roles: ['starter'],
    });
    const without = await openDesk({ people: [eve] }, desk.dir);
    expect((await moved(browser, without).send('GET', '/v1/me')).statusCode).toBe(401);
    await again.close();
    await without.close();
    await desk.close();
  });

  it('that ends, ends the streams that its cookie has opened', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'performance', 'Date', 'queueMicrotask'] });
    let arrive!: () => void;
    const arrival = new Promise<void>((resolve) => (arrive = resolve));
    const pending = () => (arrive(), new Promise<never>(() => undefined));
    const desk = await openDesk({
      people,
      client: async () => ({ inbox: { pending } }) as never,
      url: 'http://localhost:8480',
    });
    const gateway = await serveGateway(desk.parts, { host: '127.0.0.1', port: 0, drainMs: 0 });
    try {
      const browser = new BrowserAtDesk(desk.app, 'http://localhost:8480');
      await browser.signIn(ana);
      const { cookie } = browser.headers as { cookie: string };
      const open = fetch(`${gateway.url}/v1/pending`, { headers: { cookie } }).then(
        () => 'answered',
        () => 'cut off',
      );
      await arrival;
      await browser.send('POST', '/v1/sign-out');
      jest.advanceTimersByTime(11_000);
      expect(await open).toBe('cut off');
    } finally {
      jest.useRealTimers();
      await gateway.close();
      await desk.close();
    }
  });
});

/** The same cookies at another gateway. */
function moved(browser: BrowserAtDesk, { app }: Desk): BrowserAtDesk {
  const other = new BrowserAtDesk(app);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

describe('somebody who writes the store', () => {
  const id = 'C'.repeat(43);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-trust-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  const trustFile = (entries: Pick<SigningKey, 'kid' | 'public'>[], more: Partial<TrustedKey> = {}) => {
    const path = join(folder, `trusted-${(count += 1)}.json`);
    writeFileSync(path, JSON.stringify(entries.map((key) => ({ ...trustedEntry(key), ...more }))));
    return path;
  };
  const whoIs = async (browser: BrowserAtDesk, desk: Desk) => (await moved(browser, desk).send('GET', '/v1/me')).statusCode;

  it('signs nobody in: a sign-in that no gateway has signed counts for nothing', async () => {
    const desk = await openDesk({ people, client });
    const attacker = new BrowserAtDesk(desk.app);
    await attacker.signIn(eve);
    const own = (await desk.store.registers.read(registerOf(attacker.cookies.get(COOKIE)!))).value as JsonObject;
    const proof = { by: 'token', token_sha256: ana.entry.token_sha256 };
    const now = Date.now();
    const made = { v: 'holdfast.sign-in/1', proof, since: now, seen: now, ends: now + 3_600_000 };
    const key = SigningKey.generate();
    const word = new GatewayWord(key, desk.store.identity.id, async () => []);
    const said = { v: 'holdfast.gateway-says/sign-in', id_hash: hashOfId(id), proof, since: now, ends: made.ends } as const;
    for (const value of [
      made,
      { ...made, kid: own.kid!, signature: own.signature! },
      { ...own, proof },
      own,
      { ...made, ...word.say(said) },
    ]) {
      await desk.store.registers.update(registerOf(id), () => ({ value, answer: null }));
      const browser = new BrowserAtDesk(desk.app);
      browser.cookies.set(COOKIE, id);
      expect((await browser.send('GET', '/v1/me')).statusCode).toBe(401);
    }
    await desk.close();
  });

  it('has no use of the key of a worker, nor of one that may sign no decisions; gateways know each other’s sign-ins by trust', async () => {
    const key = SigningKey.generate();
    const desk = await openDesk({ people, client, key });
    const browser = new BrowserAtDesk(desk.app);
    await browser.signIn(ana);
    const statuses: number[] = [];
    for (const trustedKeys of [
      trustFile([key]),
      trustFile([key], { decides: false }),
      trustFile([key, GATEWAY_KEY], { decides: false }),
      trustFile([key], { revoked_at: '2026-01-31T10:00:00.000Z' }),
      trustFile([key], { use: 'principal', principal: 'schedule/daily' }),
      trustFile([key], { use: 'bundle' }),
      undefined,
    ]) {
      const other = await openDesk({ people, client, ...optional({ trustedKeys }) }, desk.dir);
      statuses.push(await whoIs(browser, other));
      await other.close();
    }
    expect(statuses).toEqual([200, 401, 200, 401, 401, 401, 401]);
    expect(await whoIs(browser, desk)).toBe(200);
    await desk.close();
  });
});

const registerOf = (id: string) => `sign-in/${hashOfId(id)}`;
