/** The keys of models: where they come from, to which servers they go, and that no failure shows them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bedrockProvider, vertexProvider } from '../../../src/model/anthropic/platforms';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { anthropic, openai } from '../../../src/model/factories';
import { OpenAiProvider } from '../../../src/model/openai/provider';
import { failureOf, request } from '../../support/model/model';

type Options = { apiKey?: string; baseUrl?: string; headers?: Record<string, string> };

const VENDORS = [
  ['ANTHROPIC', 'https://api.anthropic.com', (options: Options, fetch: Fetch) => new AnthropicProvider({ ...options, fetch }), anthropic],
  ['OPENAI', 'https://api.openai.com', (options: Options, fetch: Fetch) => new OpenAiProvider({ ...options, fetch }), openai],
] as const; // oxfmt-ignore

let folder: string;
let environment: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'access-'));
  environment = process.env;
  process.env = { PATH: environment.PATH };
});

afterEach(() => {
  process.env = environment;
  rmSync(folder, { recursive: true });
});

describe.each(VENDORS)('of %s', (vendor, ownServer, provider, factory) => {
  const [keyName, urlName] = [`${vendor}_API_KEY`, `${vendor}_BASE_URL`];

  it('are the option, or the setting', async () => {
    expect(await sent(provider, { apiKey: 'sk-option' })).toEqual([ownServer, 'sk-option']);
    process.env[keyName] = 'sk-setting';
    expect(await sent(provider, {})).toEqual([ownServer, 'sk-setting']);
    process.env[urlName] = 'https://proxy.example/v1';
    expect(await sent(provider, {})).toEqual(['https://proxy.example', 'sk-setting']);
  });

  it('may be in a file, and so may the address', async () => {
    process.env[`${keyName}_FILE`] = file('sk-of-file\n');
    expect(await sent(provider, {})).toEqual([ownServer, 'sk-of-file']);
    process.env[`${urlName}_FILE`] = file('https://proxy.example/v1');
    expect(await sent(provider, {})).toEqual(['https://proxy.example', 'sk-of-file']);
    expect(() => factory({ model: 'm' }).checkSetup!()).not.toThrow();
  });

  it('that stand in the settings do not go to a server that only the model names', async () => {
    const baseUrl = 'https://proxy.example/v1';
    process.env[keyName] = 'sk-setting';
    expect(await sent(provider, { baseUrl })).toEqual(['https://proxy.example', 'none']);
    expect(await sent(provider, { baseUrl, apiKey: 'sk-option' })).toEqual(['https://proxy.example', 'sk-option']);
  });

  it('nor do the headers that the SDK reads from the environment', async () => {
    const settings = { [`${vendor}_CUSTOM_HEADERS`]: 'Authorization: Bearer of-the-proxy\nX-Company: acme-company' };
    Object.assign(process.env, settings, { OPENAI_ORG_ID: 'org-of-setting', OPENAI_PROJECT_ID: 'project-of-setting' });
    const before = { ...process.env };
    const proxy = { baseUrl: 'https://proxy.example/v1', apiKey: 'sk-option', headers: { 'x-own': 'mine' } };
    const foreign = await headersSent(provider, proxy);
    expect(JSON.stringify(foreign)).not.toMatch(/of-the-proxy|acme|of-setting/);
    expect(Object.values(foreign)).toEqual(expect.arrayContaining([expect.stringMatching(/^(Bearer )?sk-option$/), 'mine']));
    expect(process.env).toEqual(before);
    const ofSettings = { authorization: 'Bearer of-the-proxy', 'x-company': 'acme-company' };
    expect(await headersSent(provider, { apiKey: 'sk-option' })).toMatchObject(ofSettings);
    process.env[urlName] = proxy.baseUrl; // as a worker gives its own model the address of the settings
    expect(await headersSent(provider, proxy)).toMatchObject({ ...ofSettings, 'x-own': 'mine' });
  });

  it('are checked when a worker starts', () => {
    const checkSetup = (options: Options = {}) => factory({ model: 'm', ...options }).checkSetup!();
    expect(() => checkSetup()).toThrow(`${keyName} is not set: set it, or \`apiKey\` of the model.`);
    expect(() => checkSetup({ apiKey: 'sk' })).not.toThrow();
    expect(() => checkSetup({ baseUrl: 'http://127.0.0.1:1' })).not.toThrow();
    process.env[urlName] = 'http://127.0.0.1:1';
    expect(() => checkSetup()).not.toThrow();
    process.env[keyName] = 'sk-setting';
    process.env[`${keyName}_FILE`] = file('sk-of-file');
    expect(() => checkSetup()).toThrow(`${keyName} and ${keyName}_FILE are both set; set one of them.`);
  });

  it('and the values of headers stand in no failure', async () => {
    const headers = { 'ocp-apim-subscription-key': '0f1e2d3c4b5a6978', 'x-access': 'Token  s3cret-of-the-proxy' };
    process.env[`${vendor}_CUSTOM_HEADERS`] = 'x-one: one-of-company\nx-two: Token two-of-company';
    const said = 'No access with 0f1e2d3c4b5a6978 or s3cret-of-the-proxy, one-of-company or two-of-company.';
    const refuse: Fetch = async () => Response.json({ error: { type: 'authentication_error', message: said } }, { status: 401 });
    const failure = await failureOf(ask(provider({ apiKey: 'k', headers }, refuse)));
    expect(failure.message).toContain('No access with [key] or [key], [key] or [key].');
  });
});

test('a bearer token of Anthropic is treated as a key is', async () => {
  process.env.ANTHROPIC_AUTH_TOKEN_FILE = file('token-of-file');
  const [[, ownServer, provider]] = VENDORS;
  expect(await sent(provider, {})).toEqual([ownServer, 'token-of-file']);
  expect(await sent(provider, { baseUrl: 'https://proxy.example' })).toEqual(['https://proxy.example', 'none']);
  expect(() => anthropic({ model: 'm' }).checkSetup!()).not.toThrow();
});

test.each<[string, (baseUrl: string) => AnthropicProvider]>([
  ['Bedrock', (baseUrl) => bedrockProvider({ apiKey: 'key-of-aws', baseUrl })],
  ['Vertex AI', (baseUrl) => vertexProvider({ region: 'global', projectId: 'p', authClient: GOOGLE, baseUrl })],
])('%s at an address of the model gets no header of the environment', async (_name, provider) => {
  process.env.ANTHROPIC_CUSTOM_HEADERS = 'x-company: acme-company';
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => void (seen.push(headers), response.writeHead(400).end('{}')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await failureOf(ask(provider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)));
    expect(seen).toEqual([expect.not.objectContaining({ 'x-company': 'acme-company' })]);
  } finally {
    server.close();
  }
});

const GOOGLE = { getRequestHeaders: async () => new Headers({ authorization: 'Bearer of-google' }), projectId: 'p' };

type Fetch = typeof fetch;
type Provider = AnthropicProvider | OpenAiProvider;

type Make = (options: Options, fetch: Fetch) => Provider;

/** The server that a request goes to, and its key. */
async function sent(provider: Make, options: Options): Promise<[string, string]> {
  const { origin, headers } = await requestOf(provider, options);
  return [origin, headers.get('x-api-key') ?? headers.get('authorization')!.replace('Bearer ', '')];
}

async function headersSent(provider: Make, options: Options): Promise<Record<string, string>> {
  return Object.fromEntries((await requestOf(provider, options)).headers);
}

async function requestOf(provider: Make, options: Options): Promise<{ origin: string; headers: Headers }> {
  let seen: { origin: string; headers: Headers } | undefined;
  const record: Fetch = async (url, init) => {
    seen = { origin: new URL(String(url)).origin, headers: new Headers(init!.headers) };
    return Response.json({ error: { message: 'not now' } }, { status: 400 });
  };
  await failureOf(ask(provider(options, record)));
  return seen!;
}

function ask(provider: Provider): Promise<unknown> {
  return provider.request(request(), { signal: new AbortController().signal });
}

function file(content: string): string {
  const path = join(folder, `${Math.random()}`);
  writeFileSync(path, content);
  return path;
}
