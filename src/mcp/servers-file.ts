/**
 * Reads and writes the file of MCP servers, in the format that other clients use too: `{"mcpServers": {"files": {"command":
 * …}}}`. `${NAME}` and `${NAME:-default}` are replaced by environment variables (NAME_FILE too), so that the file holds no
 * secrets.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { strayFields } from '../tools/define/fields';
import { replaceFile } from '../store/files/atomic-file';
import { getOwn } from '../shared/json/json';
import { SERVER_NAME } from './listed-tool';
import { errorMessage } from '../shared/text/error-message';
import { optional } from '../shared/json/optional';
import { secretsIn } from '../shared/text/secrets';
import { isLoopbackHost } from '../shared/wire/cross-site-check';

interface Common {
  name: string;
  /** Time limit of one call, ms. Absent: by class. */
  timeoutMs?: number;
  /** Longest wait for a connection, ms. Absent: 10 s. */
  connectTimeoutMs?: number;
  /** Its resources and prompts are tools too. */
  resources?: boolean;
  /** Values that must not show in results, errors or logs. */
  secrets: string[];
  /** How variables or headers (these in lower case) appear in a call's target. Those not named here: as a digest. */
  target: Record<string, InTarget>;
}

/** `shown`: not a secret, and shown on the card. `ignored`: a credential that is replaced over time, for the same account. */
export type InTarget = (typeof IN_TARGET)[number];

export interface StdioServer extends Common {
  transport: 'stdio';
  command: string;
  args: string[];
  /** The program's whole environment, besides the few variables that any program needs (PATH, HOME…). */
  env: Record<string, string>;
  cwd?: string;
}

export interface HttpServer extends Common {
  /** `sse`: the transport of 2024, which few servers still need. */
  transport: 'http' | 'sse';
  url: string;
  headers: Record<string, string>;
  oauth?: OAuthSettings;
}

export interface OAuthSettings {
  /** `client_credentials`: this process logs in by itself. `authorization_code`: a person logs in with `holdfast mcp login`. */
  grant: (typeof GRANTS)[number];
  /** The authorization server; credentials are sent to no other. */
  issuer: string;
  clientId?: string;
  clientSecret?: string;
  scope?: string;
}

export type ServerConfig = StdioServer | HttpServer;

const LARGEST_FILE = 1024 * 1024;
const MOST_SERVERS = 64;

const IN_TARGET = ['shown', 'ignored'] as const;
const GRANTS = ['client_credentials', 'authorization_code'] as const;
const text = z.string().max(4096);
const texts = z.record(z.string().max(200), text);
const timeout_ms = z.number().int().min(100).max(86_400_000).optional();
const target = z.record(z.string().max(200), z.enum(IN_TARGET)).default({});
/** The limit is below the two minutes of a turn's first activity. */
const connect_timeout_ms = z.number().int().min(100).max(100_000).optional();
const resources = z.boolean().optional();
const stdio = z.strictObject({
  type: z.literal('stdio').optional(),
  command: text.min(1),
  args: z.array(text).max(200).default([]),
  env: texts.default({}),
  cwd: text.optional(),
  target,
  timeout_ms,
  connect_timeout_ms,
  resources,
});
const http = z.strictObject({
  type: z.enum(['http', 'streamable-http', 'sse']).default('http'),
  url: text,
  headers: texts.default({}),
  target,
  oauth: z
    .strictObject({
      issuer: z.url({ protocol: /^https?$/ }),
      client_id: text.optional(),
      client_secret: text.optional(),
      scope: text.optional(),
      grant: z.enum(GRANTS).optional(),
    })
    .optional(),
  timeout_ms,
  connect_timeout_ms,
  resources,
});

/** An entry as written in the file. */
export type ServerEntry = z.input<typeof stdio> | z.input<typeof http>;

export class BadServersFile extends Error {
  override readonly name = 'BadServersFile';
}

/** @throws BadServersFile that lists every fault */
export function readServers(path: string, env: NodeJS.ProcessEnv = process.env): ServerConfig[] {
  const faults: string[] = [];
  const servers = Object.entries(readEntries(path)).flatMap(([name, entry]) => {
    try {
      return [serverOf(name, entry, env)];
    } catch (error) {
      faults.push(`${name.slice(0, 60)}: ${errorMessage(error)}`);
      return [];
    }
  });
  if (faults.length > 0) throw new BadServersFile(`${path} (HOLDFAST_MCP) cannot be used:\n- ${faults.join('\n- ')}`);
  return servers;
}

/** The entries, not validated; empty if there is no such file. @throws BadServersFile */
export function readEntries(path: string): Record<string, ServerEntry> {
  const bad = (why: string) => new BadServersFile(`${path} (HOLDFAST_MCP) ${why}; it must be {"mcpServers": {"NAME": {…}}}.`);
  let parsed: unknown;
  try {
    if (statSync(path).size > LARGEST_FILE) throw bad(`has more than ${LARGEST_FILE} bytes`);
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error instanceof BadServersFile
      ? error
      : bad(`cannot be read (${error instanceof SyntaxError ? 'no JSON' : String(error)})`);
  }
  const file = z.object({ mcpServers: z.record(z.string(), z.unknown()) }).safeParse(parsed);
  if (!file.success) throw bad('has another form');
  if (Object.keys(file.data.mcpServers).length > MOST_SERVERS) throw bad(`has more than ${MOST_SERVERS} servers`);
  return file.data.mcpServers as Record<string, ServerEntry>;
}

/** Replaces the servers in the file and keeps its other fields. @throws SyntaxError if the file is not JSON */
export async function writeEntries(path: string, mcpServers: Record<string, ServerEntry>): Promise<void> {
  const folder = dirname(resolve(path));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const rest = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : {};
  await replaceFile(folder, resolve(path), Buffer.from(`${JSON.stringify({ ...rest, mcpServers }, null, 2)}\n`));
}

/** Validates one entry and replaces its variables. @throws Error whose message never holds a variable's value */
export function serverOf(name: string, entry: unknown, env: NodeJS.ProcessEnv = process.env): ServerConfig {
  if (!SERVER_NAME.test(name))
    throw new Error('a name must be up to 32 lower-case letters and digits, with single - or _ between them');
  const isStdio = typeof entry === 'object' && entry !== null && 'command' in entry;
  const form = isStdio ? stdio : http;
  const parsed = form.safeParse(entry);
  if (!parsed.success) {
    const others = parsed.error.issues.filter(({ code }) => code !== 'unrecognized_keys');
    const places = others.map(({ path, message }) => `${path.join('.') || 'the entry'}: ${message}`);
    throw new Error(`${[...strayFields(form, entry, ''), ...places].join('; ')} (it needs command, or url)`);
  }
  const put = (value: string) => expandVariables(value, env);
  const all = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, put(value)]));
  const { timeout_ms: timeoutMs, connect_timeout_ms: connectTimeoutMs, resources: hasResources } = parsed.data;
  const limits = {
    ...(timeoutMs && { timeoutMs }),
    ...(connectTimeoutMs && { connectTimeoutMs }),
    ...(hasResources && { resources: true }),
  };
  if ('command' in parsed.data) {
    const { command, args, env: given, cwd } = parsed.data;
    const own = all(given);
    const shownAs = inTarget(parsed.data.target, own, keepCase);
    const folder = cwd === undefined ? {} : { cwd: put(cwd) };
    return { name, transport: 'stdio', command: put(command), args: args.map(put), env: own, ...folder, ...limits, target: shownAs, secrets: secretsIn(pickSecretValues(own, shownAs, keepCase)) }; // oxfmt-ignore
  }
  const { type, url, headers, oauth: asked } = parsed.data;
  const headerValues = all(headers);
  const shownAs = inTarget(parsed.data.target, headerValues, lowerCase);
  const oauth = asked && oauthOf(asked, put);
  const secrets = secretsIn([...pickSecretValues(headerValues, shownAs, lowerCase), oauth?.clientSecret ?? '']);
  const address = addressOf(put(url), secrets.length > 0 || oauth !== undefined);
  if (oauth && Object.keys(headerValues).some((header) => header.toLowerCase() === 'authorization'))
    throw new Error('headers.Authorization and oauth are both given; keep one of them');
  return { name, transport: type === 'sse' ? 'sse' : 'http', url: address, headers: headerValues, ...(oauth ? { oauth } : {}), ...limits, target: shownAs, secrets }; // oxfmt-ignore
}

function inTarget(
  targets: Record<string, InTarget>,
  values: Record<string, string>,
  plain: (name: string) => string,
): Record<string, InTarget> {
  const names = new Set(Object.keys(values).map(plain));
  const unknown = Object.keys(targets).find((name) => !names.has(plain(name)));
  if (unknown !== undefined) throw new Error(`target names ${unknown}, which is neither in env nor in headers`);
  return Object.fromEntries(Object.entries(targets).map(([name, how]) => [plain(name), how]));
}

/** The values that the entry does not mark as `shown`. */
function pickSecretValues(
  values: Record<string, string>,
  target: Record<string, InTarget>,
  plain: (name: string) => string,
): string[] {
  return Object.entries(values).flatMap(([name, value]) => (getOwn(target, plain(name)) === 'shown' ? [] : [value]));
}

const keepCase = (variable: string): string => variable;
const lowerCase = (header: string): string => header.toLowerCase();

function oauthOf(settings: NonNullable<z.output<typeof http>['oauth']>, put: (value: string) => string): OAuthSettings {
  const { issuer, client_id, client_secret, scope } = settings;
  const grant = settings.grant ?? (client_secret === undefined ? 'authorization_code' : 'client_credentials');
  if (client_secret !== undefined && client_id === undefined) throw new Error('oauth.client_secret needs oauth.client_id');
  if (grant === 'client_credentials' && client_secret === undefined)
    throw new Error('oauth.grant client_credentials needs oauth.client_secret');
  return {
    grant,
    issuer: addressOf(issuer, true),
    ...(client_id === undefined ? {} : { clientId: put(client_id) }),
    ...(client_secret === undefined ? {} : { clientSecret: put(client_secret) }),
    ...optional({ scope }),
  };
}

function addressOf(url: string, secret: boolean): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new Error('url must be an http or https address');
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') throw new Error('url holds a password; put it into headers, as ${NAME}');
  if (secret && protocol === 'http:' && !isLoopbackHost(hostname))
    throw new Error('secrets go over https only; over http to this machine alone');
  return url;
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]{0,100})(?::-([^}]{0,1000}))?\}/g;

function expandVariables(value: string, env: NodeJS.ProcessEnv): string {
  return value.replace(VARIABLE, (_all, name: string, otherwise: string | undefined) => {
    const value = env[name] || fromFile(name, env[`${name}_FILE`]) || otherwise;
    if (value === undefined) throw new Error(`the variable ${name} is not set; set it, or ${name}_FILE`);
    return value;
  });
}

function fromFile(name: string, path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    if (statSync(path).size > 64 * 1024) throw new Error('too large');
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new Error(`the file that ${name}_FILE names cannot be read`);
  }
}
