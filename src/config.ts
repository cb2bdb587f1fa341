/** Settings: environment in, one typed and checked object out. A bad value stops the process with one line. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { z } from 'zod';
import { cacheFolder } from './devserver/cli-cache';
import { withoutPassword } from './shared/without-password';
import { readDevState, type DevState } from './devserver/state-file';

export interface SmtpConfig {
  host: string;
  port: number;
  secure: boolean;
  user?: string;
  pass?: string;
  from: string;
}

export interface EdgarConfig {
  userAgent: string;
  /** Replaces both hosts of the SEC; absent: the real ones. */
  url?: string;
}

/** Where a server of ours listens. */
export interface BindAddress {
  host: string;
  port: number;
}

export interface Config {
  temporal: { address: string; namespace: string; connectionOptions: NativeConnectionOptions & { address: string } };
  anthropic: { apiKey?: string; baseUrl?: string; model?: string };
  model: 'anthropic' | 'rehearsal';
  taskQueue: string;
  /** `file:PATH` or `postgres://…` */
  store: string;
  httpPort: number;
  /** `/healthz` and `/readyz` of a worker; null: off. */
  health: BindAddress | null;
  /** Prometheus metrics of a worker; null: off. */
  metrics: BindAddress | null;
  /** How long a worker that is stopped lets running calls end, ms. */
  drainMs: number;
  /** Folder of our state. */
  home: string;
  temporalCli?: string;
  logLevel: (typeof LOG_LEVELS)[number];
  approvals?: 'any' | 'attested';
  /** Worker versioning; absent: unversioned. */
  deployment?: { name: string; buildId: string };
  /** Base of the Web UI's addresses; null: unknown. */
  uiUrl: string | null;
  /** Null: mail goes to the embedded catcher. */
  smtp: SmtpConfig | null;
  /** What the finance pack reads. */
  data: (typeof DATA_SOURCES)[number];
  /** Null: `data` is the snapshot. */
  edgar: EdgarConfig | null;
  /** Folder of what can be fetched again, shared by all workers of this user. */
  cache: string;
}

export const DATA_SOURCES = ['snapshot', 'edgar'] as const;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

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
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

/** With what follows it (worker-process.ts), an orderly end stays below the 30 s that Kubernetes grants by default. */
const DEFAULT_DRAIN_SECONDS = 20;

/** Each variable: what it must be, and the words for it. Secrets are never repeated in an error. */
const VARIABLES = {
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

type Variable = keyof typeof VARIABLES;
type Value<V extends Variable> = z.output<(typeof VARIABLES)[V][0]>;
type Reader = <V extends Variable>(name: V) => Value<V> | undefined;
const SECRETS: ReadonlySet<string> = new Set(['ANTHROPIC_API_KEY', 'HOLDFAST_SMTP_PASS']);

/** Each variable that may also be given as NAME_FILE: ours, and the one secret that Temporal's own reader takes as text. */
const IN_FILES: readonly string[] = [...Object.keys(VARIABLES), 'TEMPORAL_API_KEY'];
/** No setting is longer: a file that is was named by mistake. */
const MAX_FILE_BYTES = 64 * 1024;

/** Whether `loadConfig` reads a variable of this name; Temporal's own (`TEMPORAL_…`) are read by its own reader. */
export function isSetting(name: string): boolean {
  return IN_FILES.includes(name.replace(/_FILE$/, ''));
}

/**
 * Reads the settings. Each variable may be given as NAME_FILE instead: the file's trimmed content is the value.
 * @throws ConfigError with one line that names the variable, the value and what is allowed; what came from a file is never shown
 */
export function loadConfig(given: NodeJS.ProcessEnv = process.env): Config {
  const { env, fromFiles } = readFiles(given);
  const read = <V extends Variable>(name: V): Value<V> | undefined => readVariable(env, name, fromFiles.has(name));
  const home = read('HOLDFAST_HOME') ?? '.holdfast';
  const apiKey = read('ANTHROPIC_API_KEY');
  const model = read('HOLDFAST_MODEL') ?? (apiKey === undefined ? 'rehearsal' : 'anthropic');
  if (model === 'anthropic' && apiKey === undefined) {
    throw new ConfigError('HOLDFAST_MODEL is "anthropic" but ANTHROPIC_API_KEY is not set; set it, or HOLDFAST_MODEL=rehearsal.');
  }
  const running = readDevState(home);
  const temporal = temporalOf(env, running);
  const uiUrl =
    read('HOLDFAST_UI_URL') ??
    (running && running.address === temporal.address ? running.ui_url : null) ??
    defaultUi(temporal.address);
  return {
    temporal,
    anthropic: {
      ...optional('apiKey', apiKey),
      ...optional('baseUrl', read('ANTHROPIC_BASE_URL')),
      ...optional('model', read('ANTHROPIC_MODEL')),
    },
    model,
    taskQueue: read('HOLDFAST_TASK_QUEUE') ?? 'holdfast',
    store: read('HOLDFAST_STORE') ?? `file:${join(home, 'store')}`,
    httpPort: read('HOLDFAST_HTTP_PORT') ?? 8480,
    health: read('HOLDFAST_HEALTH_PORT') ?? null,
    metrics: read('HOLDFAST_METRICS_PORT') ?? null,
    drainMs: (read('HOLDFAST_DRAIN_SECONDS') ?? DEFAULT_DRAIN_SECONDS) * 1000,
    home,
    ...optional('temporalCli', read('HOLDFAST_TEMPORAL_CLI')),
    logLevel: read('HOLDFAST_LOG_LEVEL') ?? read('LOG_LEVEL') ?? 'info',
    ...optional('approvals', read('HOLDFAST_APPROVALS')),
    ...optional('deployment', deploymentOf(read)),
    uiUrl: uiUrl?.replace(/\/+$/, '') ?? null,
    smtp: smtpOf(read),
    ...dataOf(read),
    cache: read('HOLDFAST_CACHE') ?? cacheFolder(env),
  };
}

/** The environment with each NAME_FILE resolved to NAME. */
function readFiles(given: NodeJS.ProcessEnv): { env: NodeJS.ProcessEnv; fromFiles: ReadonlySet<string> } {
  const named = IN_FILES.filter((name) => given[`${name}_FILE`]);
  const contents = named.map((name): [string, string] => {
    if (given[name]) throw new ConfigError(`${name} and ${name}_FILE are both set; set one of them.`);
    return [name, contentOf(`${name}_FILE`, given[`${name}_FILE`]!)];
  });
  return { env: { ...given, ...Object.fromEntries(contents) }, fromFiles: new Set(named) };
}

function contentOf(variable: string, path: string): string {
  const fault = (what: string) => new ConfigError(`${variable} is ${JSON.stringify(path.slice(0, 200))}, ${what}.`);
  let content: string;
  try {
    if (statSync(path).size > MAX_FILE_BYTES) throw new RangeError(`more than ${MAX_FILE_BYTES} bytes`);
    content = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const why = error instanceof RangeError ? error.message : ((error as NodeJS.ErrnoException).code ?? 'unknown error');
    throw fault(`which cannot be read (${why}); it must be a file that this process may read`);
  }
  if (content === '') throw fault('which is empty; it must hold the value');
  return content;
}

/** The SEC wants to know who asks: words, and an address among them. */
function namesSomeone(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return /^[\x20-\x7e]+$/.test(text) && words.length > 1 && words.some((word) => /^[^@]+@[^@.]+\.[^@]+$/.test(word));
}

function readVariable<V extends Variable>(env: NodeJS.ProcessEnv, name: V, fromFile: boolean): Value<V> | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const [schema, allowed] = VARIABLES[name];
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data as Value<V>;
  const shown = fromFile || SECRETS.has(name) ? 'not usable' : JSON.stringify(withoutPassword(text).slice(0, 200));
  throw new ConfigError(`${name}${fromFile ? '_FILE holds what' : ''} is ${shown}; it must be ${allowed}.`);
}

function deploymentOf(read: Reader): Config['deployment'] {
  const [name, buildId] = [read('HOLDFAST_DEPLOYMENT'), read('HOLDFAST_BUILD_ID')];
  if (name !== undefined && buildId !== undefined) return { name, buildId };
  if (name === undefined && buildId === undefined) return undefined;
  const [set, unset] =
    name === undefined ? ['HOLDFAST_BUILD_ID', 'HOLDFAST_DEPLOYMENT'] : ['HOLDFAST_DEPLOYMENT', 'HOLDFAST_BUILD_ID'];
  throw new ConfigError(`${unset} is not set but ${set} is; set both, or neither for an unversioned worker.`);
}

/** The environment and its profiles first, then the stack that runs here, then Temporal's default. */
function temporalOf(env: NodeJS.ProcessEnv, running: DevState | null): Config['temporal'] {
  try {
    const overrideEnvVars = Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const loaded = loadClientConnectConfig({ overrideEnvVars });
    const address = loaded.connectionOptions.address ?? running?.address ?? '127.0.0.1:7233';
    if (!/^\S+:\d{1,5}$/.test(address)) throw new Error(`the address is ${JSON.stringify(address)}; it must be HOST:PORT`);
    const namespace = loaded.namespace ?? running?.namespace ?? 'default';
    return { address, namespace, connectionOptions: { ...loaded.connectionOptions, address } };
  } catch (error) {
    throw new ConfigError(
      `Temporal's settings (TEMPORAL_…) cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The dev server's Web UI; elsewhere nothing is guessed. */
function defaultUi(address: string): string | null {
  return /^(localhost|127\.0\.0\.1):7233$/.test(address) ? 'http://localhost:8233' : null;
}

function smtpOf(read: Reader): SmtpConfig | null {
  const host = read('HOLDFAST_SMTP_HOST');
  if (host === undefined) return null;
  const from = read('HOLDFAST_SMTP_FROM');
  if (from === undefined)
    throw new ConfigError('HOLDFAST_SMTP_FROM is not set; with HOLDFAST_SMTP_HOST it must be a sender address.');
  const secure = read('HOLDFAST_SMTP_SECURE') ?? false;
  return {
    host,
    port: read('HOLDFAST_SMTP_PORT') ?? (secure ? 465 : 587),
    secure,
    ...optional('user', read('HOLDFAST_SMTP_USER')),
    ...optional('pass', read('HOLDFAST_SMTP_PASS')),
    from,
  };
}

/** Answers name the address that they come from. */
function hasNoPassword(url: string): boolean {
  return withoutPassword(url) === url;
}

function dataOf(read: Reader): Pick<Config, 'data' | 'edgar'> {
  const data = read('HOLDFAST_DATA') ?? 'snapshot';
  if (data === 'snapshot') return { data, edgar: null };
  const userAgent = read('HOLDFAST_EDGAR_USER_AGENT');
  if (userAgent === undefined) {
    throw new ConfigError(
      'HOLDFAST_EDGAR_USER_AGENT is not set but the data are "edgar"; the SEC demands a name and an e-mail address, such as "Example Bank data@bank.example".',
    );
  }
  return { data, edgar: { userAgent, ...optional('url', read('HOLDFAST_EDGAR_URL')) } };
}

function optional<K extends string, T>(key: K, value: T | undefined): { [key in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]?: T });
}
