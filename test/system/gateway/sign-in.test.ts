/** People sign in at a real OpenID provider: over plain HTTP, step by step, and in a browser, with other sites beside it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { eventually } from '../../engine/support/engine';
import { person } from '../../support/gateway';
import { describeInBrowser } from '../support/browser';
import { CookieJar, startDesk, type RunningDesk } from '../support/desk';
import { attackFromOutside, injectInto, SIGN_OUT_THREE_WAYS } from '../support/page-attacks';

const bot = person('acme/bot', 'starter');
const env = { HOLDFAST_TOKENS: JSON.stringify([bot.entry]) };

describe('by plain HTTP', () => {
  let desk: RunningDesk;
  beforeAll(async () => {
    desk = await startDesk({ env });
  });
  afterAll(() => desk?.close());

  const waysIn = async () => (await fetch(`${desk.publicUrl}/v1/sign-in`)).json();
  const me = async (jar: CookieJar) => {
    const answer = await jar.fetch(`${desk.publicUrl}/v1/me`);
    return { status: answer.status, body: (await answer.json()) as any };
  };

  /** Goes where the answers lead, and fills in the provider's forms, until the browser is back. */
  async function signIn(jar: CookieJar, name: string): Promise<{ answer: Response; callback: string; flow: string }> {
    let answer = await jar.fetch(`${desk.publicUrl}/sign-in/oidc`);
    const flow = jar.value('holdfast-flow')!;
    let url = desk.publicUrl;
    for (let steps = 0; steps < 20; steps++) {
      const location = answer.headers.get('location');
      if (location !== null) {
        url = new URL(location, url).href;
        if (url === `${desk.publicUrl}/`) return { answer, callback: '', flow };
        answer = await jar.fetch(url);
        if (url.startsWith(`${desk.publicUrl}/sign-in/oidc/callback`)) return { answer, callback: url, flow };
        continue;
      }
      const page = await answer.text();
      const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) throw new Error(`No form at ${url}: ${page.slice(0, 500)}`);
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
      const fields: Record<string, string> = prompt === 'login' ? { prompt, login: name, password: 'any' } : { prompt };
      url = new URL(action, url).href;
      answer = await jar.fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
    }
    throw new Error('It leads nowhere.');
  }

  it('the gateway runs before the provider does, and says so; once it is there people sign in', async () => {
    expect(await waysIn()).toEqual({ oidc: true, tokens: true, provider_answers: false });
    const early = await fetch(`${desk.publicUrl}/sign-in/oidc`, { redirect: 'manual' });
    expect([early.status, await early.text()]).toEqual([503, expect.stringContaining('does not answer')]);
    await desk.startProvider();
    await until(async () => ((await waysIn()) as { provider_answers: boolean }).provider_answers);

    const jar = new CookieJar();
    const { answer } = await signIn(jar, 'ana');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${desk.publicUrl}/`]);
    expect(await me(jar)).toMatchObject({
      status: 200,
      body: { principal: 'ana@bank.example', roles: ['approver', 'treasurer'], sign_in: 'oidc' },
    });
    const forbidden = await jar.fetch(`${desk.publicUrl}/metrics`);
    expect(forbidden.status).toBe(403);
  });

  it('a code counts once, and for the browser that asked for it', async () => {
    const jar = new CookieJar();
    const { callback, flow } = await signIn(jar, 'olga');
    expect(await me(jar)).toMatchObject({ body: { principal: 'olga@bank.example', roles: ['auditor'] } });
    const thief = new CookieJar();
    expect((await thief.fetch(callback)).status).toBe(400);
    thief.set(desk.publicUrl, 'holdfast-flow', flow);
    expect((await thief.fetch(callback)).status).toBe(403);
    expect((await me(thief)).status).toBe(401);
  });

  it('who is in no group with a role gets a page that says so', async () => {
    const jar = new CookieJar();
    const { answer } = await signIn(jar, 'ivan');
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('You have no role here');
    expect((await me(jar)).status).toBe(401);
  });

  it('a sign-out ends the sign-in here, and leads to the provider, which ends its own', async () => {
    const jar = new CookieJar();
    await signIn(jar, 'ana');
    const { body } = await me(jar);
    const headers = { origin: desk.publicUrl, 'x-holdfast-csrf': body.csrf as string };
    const out = await jar.fetch(`${desk.publicUrl}/v1/sign-out`, { method: 'POST', headers });
    const { next } = (await out.json()) as { next: string };
    expect((await me(jar)).status).toBe(401);
    const page = await (await jar.fetch(next)).text();
    const [, action] = /<form[^>]*action="([^"]+)"/.exec(page)!;
    const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(page)!;
    const fields = new URLSearchParams({ xsrf: xsrf!, logout: 'yes' });
    const end = await jar.fetch(action!, { method: 'POST', body: fields });
    expect(end.headers.get('location')).toMatch(new RegExp(`^${desk.publicUrl}/(\\?.*)?$`));
    const { answer } = await signIn(jar, 'olga'); // the provider asks again who it is
    expect(answer.status).toBe(303);
    expect(await me(jar)).toMatchObject({ body: { principal: 'olga@bank.example' } });
  });

  it('a sign-in goes on after a restart of the gateway', async () => {
    const first = await startDesk({ env: { ...env, ...NO_PROVIDER } });
    const jar = new CookieJar();
    await withToken(jar, first.publicUrl);
    const id = jar.value('holdfast')!;
    const second = await startDesk({ env: { ...env, ...NO_PROVIDER }, home: first.home });
    const again = new CookieJar();
    again.set(second.publicUrl, 'holdfast', id);
    expect((await again.fetch(`${second.publicUrl}/v1/me`)).status).toBe(200);
    await second.close();
    await first.close();
  });
});

const NO_PROVIDER = {
  HOLDFAST_OIDC_ISSUER: '',
  HOLDFAST_OIDC_CLIENT_ID: '',
  HOLDFAST_OIDC_CLIENT_SECRET: '',
  HOLDFAST_OIDC_GROUPS: '',
};

async function withToken(jar: CookieJar, publicUrl: string): Promise<void> {
  const headers = { origin: new URL(publicUrl).origin, 'content-type': 'application/json' };
  const answer = await jar.fetch(`${publicUrl}/v1/sign-in`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ token: bot.token }),
  });
  expect(answer.status).toBe(200);
}

async function until(is: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await is()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('It did not happen in 20 s.');
}

/** A page as ours is built: relative addresses, nothing inline. It shows who is signed in, and what it was asked to show. */
const PAGE = {
  'index.html':
    '<!doctype html><title>desk</title><link rel="stylesheet" href="./assets/page-00000000.css"><h1>desk</h1><a href="sign-in/oidc">Sign in</a><p id="who"></p><script src="./assets/page-00000000.js"></script>',
  'assets/page-00000000.css': 'h1 { color: rgb(1, 2, 3) }',
  'assets/page-00000000.js': `fetch('v1/me').then((answer) => answer.json()).then((me) => {
    document.getElementById('who').textContent = me.principal ?? 'nobody';
  });`,
};

describeInBrowser('in a browser', (browser) => {
  let folder: string;
  let desk: RunningDesk;
  let pages: BrowserContext;
  let evil: { server: Server; port: number };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-page-'));
    await mkdir(join(folder, 'assets'));
    for (const [path, text] of Object.entries(PAGE)) await writeFile(join(folder, path), text);
    desk = await startDesk({ env, path: '/tools/desk', parts: { pageFolder: folder } });
    await desk.startProvider();
    evil = await startEvil();
    pages = await browser().newContext();
  });
  afterAll(async () => {
    await pages?.close();
    evil?.server.close();
    await desk?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const isAna = (page: Page) => page.locator('#who', { hasText: 'ana@bank.example' }).waitFor({ timeout: 30_000 });

  it('a person signs in at the provider, below the path of a proxy, and is back at the page; nothing breaks its policy', async () => {
    const page = await pages.newPage();
    const wrong: string[] = [];
    page.on('console', (message) => /Content Security Policy/.test(message.text()) && wrong.push(message.text()));
    await page.goto(`${desk.publicUrl}/`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByPlaceholder('Enter any login').fill('ana');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: /sign-in/i }).click();
    await page.getByRole('button', { name: /continue/i }).click();
    await page.waitForURL(`${desk.publicUrl}/`);
    await isAna(page);
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector('h1')).color`)).toBe('rgb(1, 2, 3)');
    expect(wrong).toEqual([]);
    const cookies = await pages.cookies(`${desk.publicUrl}/`);
    expect(cookies.find(({ name }) => name === 'holdfast')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      path: '/tools/desk',
    });
    expect(await page.evaluate<string>('document.cookie')).toBe('');
    // A link in a message leads to the page of the person, though another site has it.
    const mail = await pages.newPage();
    await mail.goto(`http://127.0.0.1:${evil.port}/?link=${encodeURIComponent(`${desk.publicUrl}/#/turns/t`)}`);
    await mail.getByRole('link').click();
    await isAna(mail);
    await mail.close();
    await page.close();
  });

  it('markup and scripts that get into the page do not run, and nothing leaves it', async () => {
    const page = await pages.newPage();
    await page.goto(`${desk.publicUrl}/`);
    const tried = await page.evaluate<{ broken: string[] }>(injectInto(`http://127.0.0.1:${evil.port}`));
    expect(tried).toMatchObject({ title: 'desk', sent: 'kept' });
    for (const directive of ['base-uri', 'connect-src', 'img-src', 'script-src-attr', 'script-src-elem', 'frame-src'])
      expect(tried.broken).toContain(directive);
    await page.close();
  });

  it.each([
    ['another site', '127.0.0.1'],
    ['another server of the same host, whose requests have the cookie', 'localhost'],
  ])('a page of %s changes nothing and reads nothing, and cannot show ours in a frame', async (_name, host) => {
    const page = await pages.newPage();
    await page.goto(`http://${host}:${evil.port}/`);
    const tried = await page.evaluate<object>(attackFromOutside(desk.publicUrl));
    expect(tried).toMatchObject({ read: 'kept', form: 'opaque 0', json: 'kept', header: 'kept' });
    const refused = () => page.frames().find((frame) => frame.url().startsWith('chrome-error'));
    await eventually('the browser refuses to show our page in a frame', async () => refused());
    await page.close();
    const own = await pages.newPage();
    await own.goto(`${desk.publicUrl}/`);
    await isAna(own); // still signed in: no sign-out was taken
    await own.close();
  });

  it('what changes something needs the page’s token, and after the sign-out the cookie is worth nothing', async () => {
    const page = await pages.newPage();
    await page.goto(`${desk.publicUrl}/`);
    expect(await page.evaluate<number[]>(SIGN_OUT_THREE_WAYS)).toEqual([403, 403, 200, 401]);
    await page.close();
  });
});

/** A site of somebody else: an empty page, or one with a link. */
async function startEvil(): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const link = new URL(request.url!, 'http://localhost').searchParams.get('link');
    const body = link === null ? '' : `<a href="${link.replaceAll('"', '')}">look</a>`;
    response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
    response.end(`<!doctype html><title>evil</title><body><iframe name="elsewhere" hidden></iframe>${body}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
