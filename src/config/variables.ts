/** The table of settings: each variable, what it must be, and the words for it. */
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { withoutPassword } from '../shared/without-password';
import { ConfigError } from './error';
import { callbackHosts, hosts, jwt, origins, proxies, requestsPerMinute } from './http';

/** Where a server of ours listens. */
export interface BindAddress {
  host: string;
  port: number;
}

export const DATA_SOURCES = ['snapshot', 'edgar'] as const;

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.number().min(1).max(65_535));
/** A port alone means loopback: whoever wants more names the interface. */
const bindAddress = z
  .string()
  .regex(/^(?:(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253}):)?\d{1,5}$/i)
  .transform((text): BindAddress => {
    const colon = text.lastIndexOf(':');
    const host = colon < 0 ? '127.0.0.1' : text.slice(0, colon).replace(/^\[|\]$/g, '');
    return { host: host === 'localhost' ? '127.0.0.1' : host, port: Number(text.slice(colon + 1)) };
  })
  .refine(({ port: number }) => number >= 1 && number <= 65_535);
const seconds = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .pipe(z.number().max(3600));
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** What one can listen at; a port is another setting's. */
const host = z
  .string()
  .regex(/^(?:[0-9a-f:.]*:[0-9a-f:.]+|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/i)
  .refine((name) => !name.includes(':') || isIPv6(name));
/** 0 or more than 1, as Temporal's SDK wants it. */
const cachedWorkflows = z
  .string()
  .regex(/^\d{1,7}$/)
  .transform(Number)
  .refine((count) => count !== 1 && count <= 1_000_000);
const chainId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);
const confirmations = z
  .string()
  .regex(/^[1-9]\d{0,2}$/)
  .transform(Number);
function parsed(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'not JSON' });
    return z.NEVER;
  }
}
const sessionKeys = z
  .string()
  .transform(parsed)
  .pipe(z.record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), z.string().regex(/^0x[0-9a-fA-F]{64}$/)));
/** `AAA=0x…,BBB=0x…` */
const tokens = z.string().transform((text, context) =>
  text.split(',').map((entry) => {
    const [, symbol, address] = /^\s*([A-Za-z0-9.$-]{1,16})=(0x[0-9a-fA-F]{40})\s*$/.exec(entry) ?? [];
    if (symbol !== undefined && address !== undefined) return { symbol, address };
    context.addIssue({ code: 'custom', message: 'not SYMBOL=ADDRESS' });
    return z.NEVER;
  }),
);
/** Who may speak to the gateway, and with which token: only its hash stands in settings. */
const principals = z
  .string()
  .max(60_000)
  .transform(parsed)
  .pipe(
    z
      .array(
        z.strictObject({
          principal: z.string().min(1).max(200).refine(isPrincipalName),
          roles: z.array(z.string().regex(/^[A-Za-z0-9._:-]{1,64}$/)).max(16),
          token_sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      )
      .max(500),
  );
/** As the Standard Webhooks specification writes keys. */
const webhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/)
  .refine((text) => {
    const { length } = Buffer.from(text.slice('whsec_'.length), 'base64');
    return length >= 24 && length <= 64;
  });
const addresses = z
  .string()
  .max(5000)
  .transform((text) => text.split(',').map((address) => address.trim()))
  .pipe(z.array(z.email().max(254)).max(20));
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

/** Each variable: what it must be, and the words for it. Secrets are never repeated in an error. */
export const VARIABLES = {
  ANTHROPIC_API_KEY: [z.string(), 'an API key'],
  ANTHROPIC_AUTH_TOKEN: [z.string(), 'a bearer token'],
  ANTHROPIC_BASE_URL: [z.url({ protocol: /^https?$/ }), 'an http or https URL'],
  ANTHROPIC_MODEL: [z.string().max(200), 'a model id'],
  HOLDFAST_TASK_QUEUE: [z.string().max(200), 'a name of at most 200 characters'],
  HOLDFAST_STORE: [z.string().regex(/^(file:.+|postgres(ql)?:\/\/.+)$/), 'file:PATH or postgres://…'],
  HOLDFAST_LIVE: [z.string().regex(/^(off|postgres(ql)?:\/\/.+)$/), 'postgres://… or off'],
  HOLDFAST_HTTP_HOST: [host, 'an address of this machine without a port, such as 127.0.0.1, or 0.0.0.0 for all of them'],
  HOLDFAST_HTTP_PORT: [port, 'a port from 1 to 65535'],
  HOLDFAST_PUBLIC_URL: [z.url({ protocol: /^https?$/ }).refine(hasNoPassword), 'an http or https URL without a password'],
  HOLDFAST_HOSTS: [hosts, 'host names or addresses, in lower case, without ports, with commas between them'],
  HOLDFAST_DEBUG_INFO: [z.enum(['on', 'off']).transform((value) => value === 'on'), 'on or off'],
  HOLDFAST_HEALTH_PORT: [bindAddress, 'a port (on loopback) or HOST:PORT, such as 0.0.0.0:8481'],
  HOLDFAST_METRICS_PORT: [bindAddress, 'a port (on loopback) or HOST:PORT, such as 0.0.0.0:9464'],
  HOLDFAST_DRAIN_SECONDS: [seconds, 'a number of seconds from 0 to 3600'],
  HOLDFAST_MAX_CACHED_WORKFLOWS: [cachedWorkflows, 'a number of workflows from 2 to 1000000, or 0 for none'],
  HOLDFAST_HOME: [z.string(), 'a folder'],
  HOLDFAST_MODEL: [z.enum(['anthropic', 'rehearsal']), 'anthropic or rehearsal'],
  HOLDFAST_TEMPORAL_CLI: [z.string(), 'the path of a temporal binary'],
  HOLDFAST_LOG_LEVEL: [z.enum(LOG_LEVELS), 'trace, debug, info, warn, error, fatal or silent'],
  LOG_LEVEL: [z.enum(LOG_LEVELS), 'trace, debug, info, warn, error, fatal or silent'],
  // What Temporal takes: a worker with another name would die a minute after its start. PostgreSQL holds 255 characters of both.
  HOLDFAST_DEPLOYMENT: [z.string().regex(/^(?!__)[\w-]{1,100}$/), 'at most 100 letters, digits, - and _, not beginning with __'],
  HOLDFAST_BUILD_ID: [
    z.string().regex(/^(?!__)[\w.+@/-]{1,100}$/),
    'at most 100 letters, digits and . + @ / - _, not beginning with __',
  ],
  HOLDFAST_ENVIRONMENT: [z.string().regex(/^[A-Za-z0-9._-]{1,64}$/), 'a name of at most 64 letters, digits, . _ and -'],
  HOLDFAST_MCP: [z.string(), 'the path of a file of MCP servers'],
  HOLDFAST_APPROVALS: [z.enum(['any', 'attested']), 'any or attested'],
  HOLDFAST_OLD_DIGESTS_UNTIL: [z.iso.date().transform((day) => new Date(`${day}T00:00:00Z`)), 'a day such as 2026-12-31 (UTC)'],
  HOLDFAST_CHILDREN_MAY_READ_SECRETS: [flag, 'true or false'],
  HOLDFAST_TRUSTED_KEYS: [z.string(), 'the path of a file of trusted keys'],
  HOLDFAST_SIGNING_KEY: [z.string(), 'the path of a private key, in PKCS8 PEM'],
  HOLDFAST_BUNDLE_KEY: [z.string(), 'the path of a private key, in PKCS8 PEM'],
  HOLDFAST_BUNDLE_KEY_PEM: [z.string(), 'a private key, in PKCS8 PEM'],
  HOLDFAST_BUNDLE_SIGNER: [z.string(), 'a command that reads bytes and prints their signature'],
  HOLDFAST_BUNDLE_SIGNER_PUBLIC: [
    z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    'a raw Ed25519 public key in base64url: 43 characters',
  ],
  HOLDFAST_TOKENS: [
    principals,
    'a JSON list of {"principal":"…","roles":["approver"],"token_sha256":"…"}; `holdfast keys token` makes an entry',
  ],
  HOLDFAST_GATEWAY_URL: [z.url({ protocol: /^https?$/ }).refine(hasNoPassword), 'an http or https URL without a password'],
  HOLDFAST_TOKEN: [
    z.string().regex(/^[\x21-\x7e]{20,200}$/),
    'a token of 20 to 200 characters, as `holdfast keys token` prints it',
  ],
  HOLDFAST_JWT: [
    jwt,
    'JSON such as {"issuer":"https://id.example","audience":"holdfast","jwks_url":"https://id.example/keys"} (docs/http.md)',
  ],
  HOLDFAST_CORS_ORIGINS: [origins, 'origins such as https://app.example with commas between them'],
  HOLDFAST_HTTP_RATE: [requestsPerMinute, 'a number of requests a minute from 1 to 9999999'],
  HOLDFAST_HTTP_PROXIES: [proxies, 'a number of proxies from 0 to 9'],
  HOLDFAST_HTTP_METRICS: [z.enum(['token', 'open']), 'token or open'],
  HOLDFAST_CALLBACK_HOSTS: [
    callbackHosts,
    'host names, in lower case, with commas between them, such as hooks.example,hooks.example:8443,http://10.0.0.7:9000+private',
  ],
  HOLDFAST_CALLBACK_SECRET: [webhookSecret, 'whsec_ and the base64 of 24 to 64 random bytes'],
  HOLDFAST_UI_URL: [z.url({ protocol: /^https?$/ }), 'an http or https URL'],
  HOLDFAST_SMTP_HOST: [z.string(), 'a host name'],
  HOLDFAST_SMTP_PORT: [port, 'a port from 1 to 65535'],
  HOLDFAST_SMTP_SECURE: [flag, 'true or false'],
  HOLDFAST_SMTP_USER: [z.string(), 'a user name'],
  HOLDFAST_SMTP_PASS: [z.string(), 'a password'],
  HOLDFAST_SMTP_FROM: [z.string().regex(/^[^\r\n]*@[^\r\n]*$/), 'a sender address'],
  HOLDFAST_NOTIFY_WEBHOOK: [z.url({ protocol: /^https?$/ }).refine(hasNoPassword), 'an http or https URL without a password'],
  HOLDFAST_NOTIFY_SECRET: [webhookSecret, 'whsec_ and the base64 of 24 to 64 random bytes'],
  HOLDFAST_NOTIFY_MAIL: [addresses, 'at most 20 e-mail addresses with commas between them'],
  HOLDFAST_DATA: [z.enum(DATA_SOURCES), 'snapshot or edgar'],
  HOLDFAST_EDGAR_USER_AGENT: [z.string().max(200).refine(namesSomeone), 'a name and an e-mail address, in ASCII'],
  HOLDFAST_EDGAR_URL: [z.url({ protocol: /^https?$/ }).refine(hasNoPassword), 'an http or https URL without a password'],
  HOLDFAST_BUNDLES: [z.string(), 'a folder, or off'],
  HOLDFAST_CACHE: [z.string(), 'a folder'],
  HOLDFAST_TOOL_CALLS: [z.enum(['native', 'prompted']), 'native or prompted'],
  HOLDFAST_WEATHER: [z.enum(['sample', 'open-meteo']), 'sample or open-meteo'],
  HOLDFAST_WEATHER_URL: [z.url({ protocol: /^https?$/ }).refine(hasNoPassword), 'an http or https URL without a password'],
  HOLDFAST_WORKSPACE: [z.string(), 'a folder'],
  HOLDFAST_DOCUMENTS: [z.string(), 'a folder'],
  HOLDFAST_EVM_URL: [z.url({ protocol: /^https?$/ }), 'an http or https URL of a JSON-RPC node'],
  HOLDFAST_EVM_CHAIN_ID: [chainId, 'the id of a chain, a whole number such as 1 or 31337'],
  HOLDFAST_EVM_ROUTER: [z.string().regex(/^0x[0-9a-fA-F]{40}$/), 'an address: 0x and 40 hexadecimal characters'],
  HOLDFAST_EVM_SESSION_KEYS: [
    sessionKeys,
    'JSON, id to private key: {"treasury":"0x…"}, a key being 0x and 64 hexadecimal characters',
  ],
  HOLDFAST_EVM_TOKENS: [tokens, 'symbols with their addresses: AAA=0x…,BBB=0x…'],
  HOLDFAST_EVM_JOURNAL: [z.string(), 'a folder that all workers share'],
  HOLDFAST_EVM_CONFIRMATIONS: [confirmations, 'a number of blocks from 1 to 999'],
} as const;

export type Variable = keyof typeof VARIABLES;
export type Value<V extends Variable> = z.output<(typeof VARIABLES)[V][0]>;
export type Reader = <V extends Variable>(name: V) => Value<V> | undefined;
const SECRETS: ReadonlySet<string> = new Set([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'HOLDFAST_SMTP_PASS',
  'HOLDFAST_NOTIFY_WEBHOOK', // many services put a key into the path
  'HOLDFAST_NOTIFY_SECRET',
  'HOLDFAST_CALLBACK_SECRET',
  'HOLDFAST_EVM_URL', // providers put the key into the path
  'HOLDFAST_EVM_SESSION_KEYS',
  'HOLDFAST_BUNDLE_KEY_PEM',
  'HOLDFAST_BUNDLE_SIGNER', // a command may hold a password
  'HOLDFAST_TOKEN',
  'HOLDFAST_TOKENS',
]);

/** @throws ConfigError for a value that the table does not allow */
export function readVariable<V extends Variable>(env: NodeJS.ProcessEnv, name: V, fromFile: boolean): Value<V> | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const [schema, allowed] = VARIABLES[name];
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data as Value<V>;
  const shown = fromFile || SECRETS.has(name) ? 'not usable' : JSON.stringify(withoutPassword(text).slice(0, 200));
  throw new ConfigError(`${name}${fromFile ? '_FILE holds what' : ''} is ${shown}; it must be ${allowed}.`);
}

/** The SEC wants to know who asks: words, and an address among them. */
function namesSomeone(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return /^[\x20-\x7e]+$/.test(text) && words.length > 1 && words.some((word) => /^[^@]+@[^@.]+\.[^@]+$/.test(word));
}

/** `name` or `tenant/name`; Temporal's search attributes hold 255 bytes: names that differ only beyond would be one. */
function isPrincipalName(name: string): boolean {
  return /^[^/]+(?:\/[^/]+)?$/.test(name) && name.isWellFormed() && Buffer.byteLength(name) <= 255;
}

/** Answers name the address that they come from. */
function hasNoPassword(url: string): boolean {
  return withoutPassword(url) === url;
}
