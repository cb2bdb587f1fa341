/** Settings: environment in, one typed and checked object out. A bad value stops the process with one line. */
import { join } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { ConfigError } from './config/error';
import { readFiles } from './config/files';
import {
  readVariable,
  type BindAddress,
  type DATA_SOURCES,
  type LOG_LEVELS,
  type Reader,
  type Value,
  type Variable,
} from './config/variables';
import { cacheFolder } from './devserver/cli-cache';
import { readDevState, type DevState } from './devserver/state-file';

export { ConfigError } from './config/error';
export { isSetting } from './config/files';
export { DATA_SOURCES, type BindAddress } from './config/variables';

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

/** With what follows it (worker-process.ts), an orderly end stays below the 30 s that Kubernetes grants by default. */
const DEFAULT_DRAIN_SECONDS = 20;

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
