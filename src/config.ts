/** Reads the settings from the environment into one typed and checked object. A bad value stops the process with one line. */
import { join } from 'node:path';
import { readFiles } from './config/files';
import { gatewayOf, httpOf, type GatewayAccess, type HttpConfig } from './config/gateway';
import {
  bundleKeyOf,
  codecKeysOf,
  defaultSigningKey,
  defaultTrustedKeys,
  readablePath,
  receiptsOf,
  type KeyConfig,
} from './config/keys';
import { modelOf, type ModelConfig } from './config/model';
import { notifyOf, smtpOf, type NotifyConfig, type SmtpConfig } from './config/notify';
import { dataOf, evmOf, type DataConfig, type EvmConfig } from './config/packs';
import type { BindAddress, LOG_LEVELS, OTLP_SIGNALS } from './config/schemas';
import { defaultUi, deploymentOf, temporalOf, type Deployment, type TemporalConfig } from './config/temporal';
import { readVariable, type Reader, type Value, type Variable } from './config/variables';
import { cacheFolder } from './devserver/cli-cache';
import type { CodecKeys } from './encryption/key-source';
import { readDevState } from './devserver/state-file';
import { optional } from './shared/json/optional';

export { ConfigError } from './config/error';
export { isSetting } from './config/files';
export { bundleKeyPlaces, defaultBundleKey, defaultSigningKey, defaultTrustedKeys, signingKeyOf } from './config/keys';
export type { NotifyConfig, SmtpConfig } from './config/notify';
export type { EvmConfig } from './config/packs';
export { DATA_SOURCES, type BindAddress } from './config/schemas';

export interface Config extends KeyConfig, DataConfig, ModelConfig {
  temporal: TemporalConfig;
  taskQueue: string;
  /** `file:PATH` or `postgres://…` */
  store: string;
  /** Where large parts are, `s3://BUCKET/PREFIX`; null: in the store itself. */
  parts: string | null;
  /** The key ring with which payloads and the store are encrypted; null: they are plain. */
  codecKeys: CodecKeys | null;
  /** What carries live events between processes: `postgres://…`; null: nothing does. */
  live: string | null;
  /** Where the gateway listens. */
  httpHost: string;
  httpPort: number;
  /** Base of the gateway's addresses, as a downloading client sees them; no `/` at its end. */
  publicUrl: string;
  /** The same for links to the page in messages to people; null: HOLDFAST_PUBLIC_URL is not set, so nobody knows where it is. */
  pageUrl: string | null;
  /** Further host names of our servers. */
  hosts: string[];
  /** Whether a call that asks for `debug_info` gets it. */
  debugInfo: boolean;
  /** `/healthz` and `/readyz` of a worker; null: off. */
  health: BindAddress | null;
  /** Prometheus metrics of a worker; null: off. */
  metrics: BindAddress | null;
  /** The collector of traces, metrics and log; null: none. */
  otlp: OtlpSettings | null;
  /** How long a stopping worker lets running calls end, ms. */
  drainMs: number;
  /** How many workflows a worker keeps in memory; absent: as many as its memory allows. */
  maxCachedWorkflows?: number;
  workflowStacks: boolean;
  temporalCli?: string;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Absent: not set; a worker then accepts a server on loopback only. */
  approvals?: 'any' | 'attested';
  /**
   * Until when destructive calls may run in turns that began with digests of version 1; absent: 30 days after the store got its id.
   */
  oldDigestsUntil?: Date;
  /** Whether commands and MCP servers run even where they could read the secrets of this user's processes. */
  childrenMayReadSecrets: boolean;
  /** File of the private key that this process signs with; null: there is none. */
  signingKey: string | null;
  /** Who may use the gateway; null: nobody. */
  tokens: { principal: string; roles: string[]; token_sha256: string }[] | null;
  /** HTTP settings of the gateway. */
  http: HttpConfig;
  /** The gateway through which the command line decides, and its token; null: the command line decides directly. */
  gateway: GatewayAccess | null;
  /** Worker versioning; absent: unversioned. */
  deployment?: Deployment;
  /** File of the MCP servers; it may be missing. */
  mcp: string;
  /** Folder for the bundles of turns with effects; null: none are kept. */
  bundles: string | null;
  /** Where backups are written; null: nobody says. */
  backups: string | null;
  /** Name of this environment. Tools that list environments exist only in those. Absent: they exist nowhere. */
  environment?: string;
  /** Base of the Web UI's addresses; null: unknown. */
  uiUrl: string | null;
  /** Null: mail goes to the embedded mail catcher. */
  smtp: SmtpConfig | null;
  notify: NotifyConfig;
  /** Data of the reference pack; `url` replaces Open-Meteo's hosts, `documents` the embedded folder. */
  reference: { weather: 'sample' | 'open-meteo'; weatherUrl?: string; documents?: string };
  /** Null: the onchain tools answer that no chain is configured. */
  evm: EvmConfig | null;
  /** Folder of the built-in agents' workspace tools; null: `workspace` below `home`. */
  workspace: string | null;
  /** Folder for data that can be fetched again, shared by all workers of this user. */
  cache: string;
}

export type OtlpSignal = (typeof OTLP_SIGNALS)[number];

export interface OtlpSettings {
  /** Base address of the collector; null: the variables of OpenTelemetry name it. */
  url: string | null;
  signals: readonly OtlpSignal[];
  /** Where a worker's metrics go. */
  metricsUrl: string;
  /** Whether spans have content. */
  content: boolean;
}

export const DEFAULT_HTTP_PORT = readVariable({}, 'HOLDFAST_HTTP_PORT', false);
export const DEFAULT_HTTP_RATE = readVariable({}, 'HOLDFAST_HTTP_RATE', false);

/**
 * Reads the settings. Each variable may be given as NAME_FILE instead: the file's trimmed content is the value.
 * @throws ConfigError with one line that names the variable, the value and what is allowed; a value from a file is never shown
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const { env, fromFiles } = readFiles(environment);
  const read = <V extends Variable>(name: V): Value<V> => readVariable(env, name, fromFiles.has(name));
  const home = read('HOLDFAST_HOME');
  const httpPort = read('HOLDFAST_HTTP_PORT');
  const pageUrl = read('HOLDFAST_PUBLIC_URL')?.replace(/\/+$/, '') ?? null;
  const running = readDevState(home);
  const temporal = temporalOf(env, running);
  const uiUrl =
    read('HOLDFAST_UI_URL') ??
    (running && running.address === temporal.address ? running.ui_url : null) ??
    defaultUi(temporal.address);
  return {
    temporal,
    ...modelOf(read),
    taskQueue: read('HOLDFAST_TASK_QUEUE'),
    store: read('HOLDFAST_STORE') ?? `file:${join(home, 'store')}`,
    parts: read('HOLDFAST_PARTS') ?? null,
    codecKeys: codecKeysOf(read),
    live: liveOf(read),
    httpHost: read('HOLDFAST_HTTP_HOST'),
    httpPort,
    publicUrl: pageUrl ?? `http://localhost:${httpPort}`,
    pageUrl,
    hosts: read('HOLDFAST_HOSTS') ?? [],
    debugInfo: read('HOLDFAST_DEBUG_INFO'),
    health: read('HOLDFAST_HEALTH_PORT') ?? null,
    metrics: read('HOLDFAST_METRICS_PORT') ?? null,
    otlp: otlpOf(read),
    drainMs: read('HOLDFAST_DRAIN_SECONDS') * 1000,
    ...optional({ maxCachedWorkflows: read('HOLDFAST_MAX_CACHED_WORKFLOWS') }),
    workflowStacks: read('HOLDFAST_WORKFLOW_STACKS'),
    home,
    ...optional({ temporalCli: read('HOLDFAST_TEMPORAL_CLI') }),
    logLevel: read('HOLDFAST_LOG_LEVEL') ?? read('LOG_LEVEL') ?? 'info',
    ...optional({ approvals: read('HOLDFAST_APPROVALS'), oldDigestsUntil: read('HOLDFAST_OLD_DIGESTS_UNTIL') }),
    childrenMayReadSecrets: read('HOLDFAST_CHILDREN_MAY_READ_SECRETS'),
    trustedKeys: read('HOLDFAST_TRUSTED_KEYS') ?? defaultTrustedKeys(home),
    signingKey: read('HOLDFAST_SIGNING_KEY') ?? readablePath(defaultSigningKey(home)),
    bundleKey: bundleKeyOf(read),
    receipts: receiptsOf(read),
    tokens: read('HOLDFAST_TOKENS') ?? null,
    http: httpOf(read),
    gateway: gatewayOf(read),
    ...optional({ deployment: deploymentOf(read) }),
    mcp: read('HOLDFAST_MCP') ?? join(home, 'mcp.json'),
    bundles: bundlesOf(read, home),
    backups: read('HOLDFAST_BACKUPS') ?? null,
    ...optional({ environment: read('HOLDFAST_ENVIRONMENT') }),
    uiUrl: uiUrl?.replace(/\/+$/, '') ?? null,
    smtp: smtpOf(read),
    notify: notifyOf(read),
    ...dataOf(read),
    reference: {
      weather: read('HOLDFAST_WEATHER'),
      ...optional({ weatherUrl: read('HOLDFAST_WEATHER_URL'), documents: read('HOLDFAST_DOCUMENTS') }),
    },
    evm: evmOf(read, home),
    workspace: read('HOLDFAST_WORKSPACE') ?? null,
    cache: read('HOLDFAST_CACHE') ?? cacheFolder(env),
  };
}

/** OpenTelemetry's SDK reads its own variable itself, with the headers and paths beside it; Temporal's core reads neither. */
function otlpOf(read: Reader): OtlpSettings | null {
  const url = read('HOLDFAST_OTLP') ?? null;
  const endpoint = url ?? read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === undefined) return null;
  const metricsUrl = `${endpoint.replace(/\/+$/, '')}/v1/metrics`;
  return { url, signals: read('HOLDFAST_OTLP_SIGNALS'), metricsUrl, content: read('HOLDFAST_OTLP_CONTENT') };
}

function bundlesOf(read: Reader, home: string): string | null {
  const value = read('HOLDFAST_BUNDLES');
  return value === 'off' ? null : (value ?? join(home, 'bundles'));
}

/** Folder of the logins to MCP servers. */
export function mcpLogins(home: string): string {
  return join(home, 'mcp-logins');
}

/** A PostgreSQL store, which all processes share, carries live events too. */
function liveOf(read: Reader): string | null {
  const store = read('HOLDFAST_STORE');
  const value = read('HOLDFAST_LIVE');
  if (value === 'off') return null;
  return value ?? (store?.startsWith('postgres') ? store : null);
}
