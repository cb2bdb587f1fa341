/** The table of settings: each variable, what it must be, and the words for it. */
import { z } from 'zod';
import { withoutPassword } from '../shared/without-password';
import { ConfigError } from './error';

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
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

/** Each variable: what it must be, and the words for it. Secrets are never repeated in an error. */
export const VARIABLES = {
  ANTHROPIC_API_KEY: [z.string(), 'an API key'],
  ANTHROPIC_BASE_URL: [z.url({ protocol: /^https?$/ }), 'an http or https URL'],
  ANTHROPIC_MODEL: [z.string().max(200), 'a model id'],
  HOLDFAST_TASK_QUEUE: [z.string().max(200), 'a name of at most 200 characters'],
  HOLDFAST_STORE: [z.string().regex(/^(file:.+|postgres(ql)?:\/\/.+)$/), 'file:PATH or postgres://…'],
  HOLDFAST_HTTP_PORT: [port, 'a port from 1 to 65535'],
  HOLDFAST_HEALTH_PORT: [bindAddress, 'a port (on loopback) or HOST:PORT, such as 0.0.0.0:8481'],
  HOLDFAST_METRICS_PORT: [bindAddress, 'a port (on loopback) or HOST:PORT, such as 0.0.0.0:9464'],
  HOLDFAST_DRAIN_SECONDS: [seconds, 'a number of seconds from 0 to 3600'],
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
  HOLDFAST_APPROVALS: [z.enum(['any', 'attested']), 'any or attested'],
  HOLDFAST_UI_URL: [z.url({ protocol: /^https?$/ }), 'an http or https URL'],
  HOLDFAST_SMTP_HOST: [z.string(), 'a host name'],
  HOLDFAST_SMTP_PORT: [port, 'a port from 1 to 65535'],
  HOLDFAST_SMTP_SECURE: [flag, 'true or false'],
  HOLDFAST_SMTP_USER: [z.string(), 'a user name'],
  HOLDFAST_SMTP_PASS: [z.string(), 'a password'],
  HOLDFAST_SMTP_FROM: [z.string().regex(/^[^\r\n]*@[^\r\n]*$/), 'a sender address'],
  HOLDFAST_DATA: [z.enum(DATA_SOURCES), 'snapshot or edgar'],
  HOLDFAST_EDGAR_USER_AGENT: [z.string().max(200).refine(namesSomeone), 'a name and an e-mail address, in ASCII'],
  HOLDFAST_EDGAR_URL: [z.url({ protocol: /^https?$/ }).refine(hasNoPassword), 'an http or https URL without a password'],
  HOLDFAST_CACHE: [z.string(), 'a folder'],
} as const;

export type Variable = keyof typeof VARIABLES;
export type Value<V extends Variable> = z.output<(typeof VARIABLES)[V][0]>;
export type Reader = <V extends Variable>(name: V) => Value<V> | undefined;
const SECRETS: ReadonlySet<string> = new Set(['ANTHROPIC_API_KEY', 'HOLDFAST_SMTP_PASS']);

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

/** Answers name the address that they come from. */
function hasNoPassword(url: string): boolean {
  return withoutPassword(url) === url;
}
