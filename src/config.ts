/** Reads the settings from the environment into one typed and checked object. A bad value stops the process with one line. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { ConfigError } from './config/error';
import { readFiles } from './config/files';
import type { CallbackConfig, HttpConfig } from './config/http';
import type { BindAddress, DATA_SOURCES, LOG_LEVELS } from './config/schemas';
import { temporalPlace, unusable } from './config/temporal';
import { readVariable, type Reader, type Value, type Variable } from './config/variables';
import { cacheFolder } from './devserver/cli-cache';
import { readDevState, type DevState } from './devserver/state-file';
import { optional } from './shared/json/optional';

export { ConfigError } from './config/error';
export { isSetting } from './config/files';
export { DATA_SOURCES, type BindAddress } from './config/schemas';

export interface SmtpConfig {
  host: string;
  port: number;
  secure: boolean;
  user?: string;
  pass?: string;
  from: string;
}

/** How people are notified that they have to decide. */
export interface NotifyConfig {
  webhook: { url: string; secret: string } | null;
  /** E-mail addresses; sent through `smtp`. */
  mail: string[];
}

/** The key that signs bundles: a file, the key itself, or a command that signs. */
export type BundleKeyConfig = { file: string } | { pem: string } | { command: string; public: string };

export interface EdgarConfig {
  userAgent: string;
  /** Replaces both hosts of the SEC; absent: the real hosts. */
  url?: string;
}

export interface EvmConfig {
  url: string;
  /** Chain id, as EIP-155 has it. */
  chainId: number;
  router: string;
  /** Private keys by id. */
  sessionKeys: Record<string, string>;
  /** The tokens that the model's tools list. */
  tokens: { symbol: string; address: string }[];
  /** Folder of the swap journal, shared by all workers that use these keys. */
  journal: string;
  confirmations: number;
}

export interface Config {
  temporal: { address: string; namespace: string; connectionOptions: NativeConnectionOptions & { address: string } };
  anthropic: { apiKey?: string; authToken?: string; baseUrl?: string; model?: string };
  model: 'anthropic' | 'rehearsal';
  /** Why the rehearsal runs although settings name a real model; null: they name none, or the real model runs. */
  rehearsedDespite: string | null;
  taskQueue: string;
  /** `file:PATH` or `postgres://…` */
  store: string;
  /** What carries live events between processes: `postgres://…`; null: nothing does. */
  live: string | null;
  /** Where the gateway listens. */
  httpHost: string;
  httpPort: number;
  /** Base of the gateway's addresses, as a downloading client sees them; no `/` at its end. */
  publicUrl: string;
  /** Further host names of our servers. */
  hosts: string[];
  /** Whether a call that asks for `debug_info` gets it. */
  debugInfo: boolean;
  /** `/healthz` and `/readyz` of a worker; null: off. */
  health: BindAddress | null;
  /** Prometheus metrics of a worker; null: off. */
  metrics: BindAddress | null;
  /** How long a stopping worker lets running calls end, ms. */
  drainMs: number;
  /** How many workflows a worker keeps in memory; absent: the SDK's choice for the heap size. */
  maxCachedWorkflows?: number;
  workflowStacks: boolean;
  /** Folder of holdfast's state. */
  home: string;
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
  /** File of the keys whose signed decisions count; it may be missing. */
  trustedKeys: string;
  /** File of the private key that this process signs with; null: there is none. */
  signingKey: string | null;
  /** What signs audit bundles; null: not set, holdfast then makes a key. */
  bundleKey: BundleKeyConfig | null;
  /** Who may use the gateway; null: nobody. */
  tokens: { principal: string; roles: string[]; token_sha256: string }[] | null;
  /** HTTP settings of the gateway. */
  http: HttpConfig;
  /** The gateway through which the command line decides, and its token; null: the command line decides directly. */
  gateway: { url: string; token: string } | null;
  /** Worker versioning; absent: unversioned. */
  deployment?: { name: string; buildId: string };
  /** File of the MCP servers; it may be missing. */
  mcp: string;
  /** Folder for the bundles of turns with effects; null: none are kept. */
  bundles: string | null;
  /** Name of this environment. Tools that list environments exist only in those. Absent: they exist nowhere. */
  environment?: string;
  /** Base of the Web UI's addresses; null: unknown. */
  uiUrl: string | null;
  /** Null: mail goes to the embedded mail catcher. */
  smtp: SmtpConfig | null;
  notify: NotifyConfig;
  /** Data source of the finance pack. */
  data: (typeof DATA_SOURCES)[number];
  /** Null: `data` is the snapshot. */
  edgar: EdgarConfig | null;
  /** How tools are described to the model. */
  toolCalls: 'native' | 'prompted';
  /** Data of the reference pack; `url` replaces Open-Meteo's hosts, `documents` the embedded folder. */
  reference: { weather: 'sample' | 'open-meteo'; weatherUrl?: string; documents?: string };
  /** Null: the onchain tools answer that no chain is configured. */
  evm: EvmConfig | null;
  /** Folder of the built-in agents' workspace tools; null: `workspace` below `home`. */
  workspace: string | null;
  /** Folder for data that can be fetched again, shared by all workers of this user. */
  cache: string;
}

export const DEFAULT_HTTP_PORT = readVariable({}, 'HOLDFAST_HTTP_PORT', false);
export const DEFAULT_HTTP_RATE = readVariable({}, 'HOLDFAST_HTTP_RATE', false);

/**
 * Reads the settings. Each variable may be given as NAME_FILE instead: the file's trimmed content is the value.
 * @throws ConfigError with one line that names the variable, the value and what is allowed; a value from a file is never shown
 */
export function loadConfig(given: NodeJS.ProcessEnv = process.env): Config {
  const { env, fromFiles } = readFiles(given);
  const read = <V extends Variable>(name: V): Value<V> => readVariable(env, name, fromFiles.has(name));
  const home = read('HOLDFAST_HOME');
  const anthropic = anthropicOf(read);
  const model = read('HOLDFAST_MODEL') ?? (hasAccess(anthropic) ? 'anthropic' : 'rehearsal');
  if (model === 'anthropic' && !hasAccess(anthropic)) {
    throw new ConfigError(
      'HOLDFAST_MODEL is "anthropic" but none of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL is set; set one, or HOLDFAST_MODEL=rehearsal.',
    );
  }
  const httpPort = read('HOLDFAST_HTTP_PORT');
  const running = readDevState(home);
  const temporal = temporalOf(env, running);
  const uiUrl =
    read('HOLDFAST_UI_URL') ??
    (running && running.address === temporal.address ? running.ui_url : null) ??
    defaultUi(temporal.address);
  return {
    temporal,
    anthropic,
    model,
    rehearsedDespite: model === 'rehearsal' ? rehearsedDespite(anthropic, read('HOLDFAST_TOOL_CALLS')) : null,
    taskQueue: read('HOLDFAST_TASK_QUEUE'),
    store: read('HOLDFAST_STORE') ?? `file:${join(home, 'store')}`,
    live: liveOf(read),
    httpHost: read('HOLDFAST_HTTP_HOST'),
    httpPort,
    publicUrl: (read('HOLDFAST_PUBLIC_URL') ?? `http://localhost:${httpPort}`).replace(/\/+$/, ''),
    hosts: read('HOLDFAST_HOSTS') ?? [],
    debugInfo: read('HOLDFAST_DEBUG_INFO'),
    health: read('HOLDFAST_HEALTH_PORT') ?? null,
    metrics: read('HOLDFAST_METRICS_PORT') ?? null,
    drainMs: read('HOLDFAST_DRAIN_SECONDS') * 1000,
    ...optional({ maxCachedWorkflows: read('HOLDFAST_MAX_CACHED_WORKFLOWS') }),
    workflowStacks: read('HOLDFAST_WORKFLOW_STACKS'),
    home,
    ...optional({ temporalCli: read('HOLDFAST_TEMPORAL_CLI') }),
    logLevel: read('HOLDFAST_LOG_LEVEL') ?? read('LOG_LEVEL') ?? 'info',
    ...optional({ approvals: read('HOLDFAST_APPROVALS'), oldDigestsUntil: read('HOLDFAST_OLD_DIGESTS_UNTIL') }),
    childrenMayReadSecrets: read('HOLDFAST_CHILDREN_MAY_READ_SECRETS'),
    trustedKeys: read('HOLDFAST_TRUSTED_KEYS') ?? defaultTrustedKeys(home),
    signingKey: read('HOLDFAST_SIGNING_KEY') ?? present(defaultSigningKey(home)),
    bundleKey: bundleKeyOf(read),
    tokens: read('HOLDFAST_TOKENS') ?? null,
    http: httpOf(read),
    gateway: gatewayOf(read),
    ...optional({ deployment: deploymentOf(read) }),
    mcp: read('HOLDFAST_MCP') ?? join(home, 'mcp.json'),
    bundles: bundlesOf(read, home),
    ...optional({ environment: read('HOLDFAST_ENVIRONMENT') }),
    uiUrl: uiUrl?.replace(/\/+$/, '') ?? null,
    smtp: smtpOf(read),
    notify: notifyOf(read),
    ...dataOf(read),
    toolCalls: read('HOLDFAST_TOOL_CALLS') ?? 'native',
    reference: {
      weather: read('HOLDFAST_WEATHER'),
      ...optional({ weatherUrl: read('HOLDFAST_WEATHER_URL'), documents: read('HOLDFAST_DOCUMENTS') }),
    },
    evm: evmOf(read, home),
    workspace: read('HOLDFAST_WORKSPACE') ?? null,
    cache: read('HOLDFAST_CACHE') ?? cacheFolder(env),
  };
}

function anthropicOf(read: Reader): Config['anthropic'] {
  const [apiKey, authToken] = [read('ANTHROPIC_API_KEY'), read('ANTHROPIC_AUTH_TOKEN')];
  return optional({
    apiKey,
    authToken: apiKey === undefined ? authToken : undefined, // a request carries only one of them
    baseUrl: read('ANTHROPIC_BASE_URL'),
    model: read('ANTHROPIC_MODEL'),
  });
}

/** A base URL alone counts as access: its server may need no key. */
function hasAccess({ apiKey, authToken, baseUrl }: Config['anthropic']): boolean {
  return (apiKey ?? authToken ?? baseUrl) !== undefined;
}

function rehearsedDespite(anthropic: Config['anthropic'], toolCalls: string | undefined): string | null {
  if (hasAccess(anthropic)) return 'HOLDFAST_MODEL is "rehearsal", which counts more than the settings of a real model';
  const set = anthropic.model !== undefined ? 'ANTHROPIC_MODEL' : toolCalls !== undefined ? 'HOLDFAST_TOOL_CALLS' : null;
  const without = 'but none of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL is';
  return set === null ? null : `${set} is set, ${without}`;
}

export function defaultTrustedKeys(home: string): string {
  return join(home, 'keys', 'trusted.json');
}

function bundlesOf(read: Reader, home: string): string | null {
  const said = read('HOLDFAST_BUNDLES');
  return said === 'off' ? null : (said ?? join(home, 'bundles'));
}

/** Folder of the logins to MCP servers. */
export function mcpLogins(home: string): string {
  return join(home, 'mcp-logins');
}

export function defaultSigningKey(home: string): string {
  return join(home, 'keys', 'gateway.pem');
}

/** The bundle key that is made if no other is named. */
export function defaultBundleKey(home: string): string {
  return join(home, 'keys', 'bundle.pem');
}

/** Input for `bundleSigner`. A key that holdfast made is added to the file of trusted keys only if that file is the default too. */
export function bundleKeyPlaces({ home, bundleKey, trustedKeys }: Pick<Config, 'home' | 'bundleKey' | 'trustedKeys'>): {
  named: BundleKeyConfig | null;
  made: string;
  trustedKeys: string | null;
} {
  const own = trustedKeys === defaultTrustedKeys(home);
  return { named: bundleKey, made: defaultBundleKey(home), trustedKeys: own ? trustedKeys : null };
}

/** Null if the file is missing or this user may not read it: it is only the default, so that is no error. */
function present(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return path;
  } catch {
    return null;
  }
}

function httpOf(read: Reader): HttpConfig {
  return {
    jwt: read('HOLDFAST_JWT') ?? null,
    corsOrigins: read('HOLDFAST_CORS_ORIGINS') ?? [],
    requestsPerMinute: read('HOLDFAST_HTTP_RATE'),
    proxies: read('HOLDFAST_HTTP_PROXIES'),
    openMetrics: read('HOLDFAST_HTTP_METRICS') === 'open',
    callbacks: callbacksOf(read),
  };
}

function callbacksOf(read: Reader): CallbackConfig | null {
  const [hosts, secret] = [read('HOLDFAST_CALLBACK_HOSTS'), read('HOLDFAST_CALLBACK_SECRET')];
  if (hosts === undefined && secret === undefined) return null;
  if (hosts !== undefined && secret !== undefined) return { hosts, secret };
  const [set, unset] =
    hosts === undefined
      ? ['HOLDFAST_CALLBACK_SECRET', 'HOLDFAST_CALLBACK_HOSTS']
      : ['HOLDFAST_CALLBACK_HOSTS', 'HOLDFAST_CALLBACK_SECRET'];
  throw new ConfigError(`${unset} is not set but ${set} is; set both, or neither.`);
}

function bundleKeyOf(read: Reader): BundleKeyConfig | null {
  const given = {
    HOLDFAST_BUNDLE_KEY: read('HOLDFAST_BUNDLE_KEY'),
    HOLDFAST_BUNDLE_KEY_PEM: read('HOLDFAST_BUNDLE_KEY_PEM'),
    HOLDFAST_BUNDLE_SIGNER: read('HOLDFAST_BUNDLE_SIGNER'),
  };
  const { HOLDFAST_BUNDLE_KEY: file, HOLDFAST_BUNDLE_KEY_PEM: pem, HOLDFAST_BUNDLE_SIGNER: command } = given;
  const set = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (set.length > 1) throw new ConfigError(`${set.join(' and ')} are both set; one key signs bundles.`);
  const named = read('HOLDFAST_BUNDLE_SIGNER_PUBLIC');
  if ((command === undefined) !== (named === undefined))
    throw new ConfigError('HOLDFAST_BUNDLE_SIGNER and HOLDFAST_BUNDLE_SIGNER_PUBLIC go together; set both, or neither.');
  if (command !== undefined) return { command, public: named! };
  return file !== undefined ? { file } : pem !== undefined ? { pem } : null;
}

function gatewayOf(read: Reader): Config['gateway'] {
  const [url, token] = [read('HOLDFAST_GATEWAY_URL'), read('HOLDFAST_TOKEN')];
  if (url === undefined && token === undefined) return null;
  if (url !== undefined && token !== undefined) return { url: url.replace(/\/+$/, ''), token };
  const [set, unset] =
    url === undefined ? ['HOLDFAST_TOKEN', 'HOLDFAST_GATEWAY_URL'] : ['HOLDFAST_GATEWAY_URL', 'HOLDFAST_TOKEN'];
  throw new ConfigError(`${unset} is not set but ${set} is; set both, or neither.`);
}

/** A PostgreSQL store, which all processes share, carries live events too. */
function liveOf(read: Reader): string | null {
  const store = read('HOLDFAST_STORE');
  const said = read('HOLDFAST_LIVE');
  if (said === 'off') return null;
  return said ?? (store?.startsWith('postgres') ? store : null);
}

function deploymentOf(read: Reader): Config['deployment'] {
  const [name, buildId] = [read('HOLDFAST_DEPLOYMENT'), read('HOLDFAST_BUILD_ID')];
  if (name !== undefined && buildId !== undefined) return { name, buildId };
  if (name === undefined && buildId === undefined) return undefined;
  const [set, unset] =
    name === undefined ? ['HOLDFAST_BUILD_ID', 'HOLDFAST_DEPLOYMENT'] : ['HOLDFAST_DEPLOYMENT', 'HOLDFAST_BUILD_ID'];
  throw new ConfigError(`${unset} is not set but ${set} is; set both, or neither for an unversioned worker.`);
}

function temporalOf(env: NodeJS.ProcessEnv, running: DevState | null): Config['temporal'] {
  const { address, namespace, connectionOptions } = temporalPlace(env, running);
  if (!/^\S+:\d{1,5}$/.test(address.value))
    throw unusable(`the address is ${JSON.stringify(address.value)}; it must be HOST:PORT`);
  return {
    address: address.value,
    namespace: namespace.value,
    connectionOptions: { ...connectionOptions, address: address.value },
  };
}

/** The dev server's Web UI; null for other addresses. */
function defaultUi(address: string): string | null {
  return /^(localhost|127\.0\.0\.1):7233$/.test(address) ? 'http://localhost:8233' : null;
}

function smtpOf(read: Reader): SmtpConfig | null {
  const host = read('HOLDFAST_SMTP_HOST');
  if (host === undefined) return null;
  const from = read('HOLDFAST_SMTP_FROM');
  if (from === undefined)
    throw new ConfigError('HOLDFAST_SMTP_FROM is not set; with HOLDFAST_SMTP_HOST it must be a sender address.');
  const secure = read('HOLDFAST_SMTP_SECURE');
  return {
    host,
    port: read('HOLDFAST_SMTP_PORT') ?? (secure ? 465 : 587),
    secure,
    ...optional({ user: read('HOLDFAST_SMTP_USER'), pass: read('HOLDFAST_SMTP_PASS') }),
    from,
  };
}

function notifyOf(read: Reader): NotifyConfig {
  const [url, secret] = [read('HOLDFAST_NOTIFY_WEBHOOK'), read('HOLDFAST_NOTIFY_SECRET')];
  const mail = read('HOLDFAST_NOTIFY_MAIL') ?? [];
  if (url === undefined && secret === undefined) return { webhook: null, mail };
  if (url === undefined)
    throw new ConfigError('HOLDFAST_NOTIFY_WEBHOOK is not set but HOLDFAST_NOTIFY_SECRET is; set both, or neither.');
  if (secret === undefined) {
    const make = `node -p "'whsec_' + crypto.randomBytes(32).toString('base64')"`;
    throw new ConfigError(
      `HOLDFAST_NOTIFY_SECRET is not set but HOLDFAST_NOTIFY_WEBHOOK is; webhooks are signed with it. This makes one: ${make}`,
    );
  }
  return { webhook: { url, secret }, mail };
}

function dataOf(read: Reader): Pick<Config, 'data' | 'edgar'> {
  const data = read('HOLDFAST_DATA');
  if (data === 'snapshot') return { data, edgar: null };
  const userAgent = read('HOLDFAST_EDGAR_USER_AGENT');
  if (userAgent === undefined) {
    throw new ConfigError(
      'HOLDFAST_EDGAR_USER_AGENT is not set but the data are "edgar"; the SEC demands a name and an e-mail address, such as "Example Bank data@bank.example".',
    );
  }
  return { data, edgar: { userAgent, ...optional({ url: read('HOLDFAST_EDGAR_URL') }) } };
}

function evmOf(read: Reader, home: string): EvmConfig | null {
  const url = read('HOLDFAST_EVM_URL');
  const chainId = read('HOLDFAST_EVM_CHAIN_ID');
  const router = read('HOLDFAST_EVM_ROUTER');
  if (url === undefined || chainId === undefined || router === undefined) {
    const given = Object.entries({ HOLDFAST_EVM_URL: url, HOLDFAST_EVM_CHAIN_ID: chainId, HOLDFAST_EVM_ROUTER: router });
    const there = given.find(([, value]) => value !== undefined);
    if (!there) return null;
    const [missing] = given.find(([, value]) => value === undefined)!;
    throw new ConfigError(`${missing} is not set but ${there[0]} is; set URL, CHAIN_ID and ROUTER, or none of them.`);
  }
  return {
    url,
    chainId,
    router,
    sessionKeys: read('HOLDFAST_EVM_SESSION_KEYS') ?? {},
    tokens: read('HOLDFAST_EVM_TOKENS') ?? [],
    journal: read('HOLDFAST_EVM_JOURNAL') ?? join(home, 'evm'),
    confirmations: read('HOLDFAST_EVM_CONFIRMATIONS'),
  };
}
