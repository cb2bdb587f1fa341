/** Starts the gateway on its address, closes it in order, and builds its parts from the settings. */
import type { AddressInfo } from 'node:net';
import { announceKey, gatewayKey } from '../attestation/gateway-key';
import type { SigningKey } from '../attestation/signing-key';
import { readTrustedKeys } from '../attestation/trusted-keys';
import type { App } from '../agents/define';
import { HoldfastClient } from '../client/holdfast-client';
import { defaultSigningKey, defaultTrustedKeys, type Config } from '../config';
import { openStoreOf } from '../store/open-store';
import type { ToolLogger } from '../tools/define/tool';
import { openTraces } from '../telemetry/traces/open';
import { gatewayApp } from './app';
import { type GatewayParts, LazyClient, type Route } from './route';
import { AnyOf, Jwts } from './auth/jwt';
import { Tokens } from './auth/principals';
import { DEFAULT_START_LIMIT } from './http/before-routes';
import { catalogueOf, type ToolCatalogue } from './tool-catalogue';
import { errorMessage } from '../shared/text/error-message';

export interface RunningGateway {
  /** `http://HOST:PORT` as it listens. */
  url: string;
  /** Accepts no new requests, ends streams, and lets open requests finish; after `drainMs` it cuts off the rest. */
  close(): Promise<void>;
}

export interface ServeAt {
  host: string;
  port: number;
  /** How long open requests may take to end, ms. Default 20,000. */
  drainMs?: number;
  /** Default: all routes of the gateway. */
  routes?: readonly Route[];
}

/**
 * Serves the HTTP interface.
 * @throws GatewayUnavailable when the address is taken, or does not belong to this machine
 * @example
 * const gateway = await serveGateway({ store, log, authenticator, key, client: async () => holdfast }, { host: '127.0.0.1', port: 8080 });
 */
export async function serveGateway(
  parts: GatewayParts,
  { host, port, drainMs = 20_000, routes }: ServeAt,
): Promise<RunningGateway> {
  const ending = new AbortController();
  const app = gatewayApp(parts, ending.signal, routes);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw new GatewayUnavailable(`${host}:${port}`, error);
  }
  const { port: actual } = app.server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  const close = async () => {
    ending.abort();
    const cut = setTimeout(() => app.server.closeAllConnections(), drainMs);
    await app.close().finally(() => clearTimeout(cut));
  };
  return { url: `http://${name}:${actual}`, close };
}

export class GatewayUnavailable extends Error {
  override readonly name = 'GatewayUnavailable';
  constructor(
    address: string,
    override readonly cause: unknown,
  ) {
    const why = errorMessage(cause);
    super(`The gateway cannot listen at ${address} (${why}). Set HOLDFAST_HTTP_PORT, or --http-port, to a free port.`);
  }
}

// Builds the gateway's parts from the settings: store, client, key, and authenticator.

/** The gateway's key; created if there is none yet. @throws BadSigningKey, BadKeyFile */
export function keyOf({ home, signingKey, trustedKeys }: Config): Promise<SigningKey> {
  const own = trustedKeys === defaultTrustedKeys(home);
  return gatewayKey({ signingKey, made: defaultSigningKey(home), trustedKeys: own ? trustedKeys : null });
}

/**
 * @param parts.app the app that the workers serve; loaded when its tools are first needed
 * @param parts.connect called when a client is first needed, and again until it has connected; absent: connects by the
 *   environment, or to the embedded stack that runs here
 * @param parts.uiUrl address of the Web UI, whose pages may use the codec server; default: HOLDFAST_UI_URL
 * @throws BadSigningKey, BadKeyFile, BadKeyRing; Error of the store
 */
export async function gatewayParts(
  config: Config,
  {
    log,
    app,
    connect,
    uiUrl = () => config.uiUrl,
  }: { log: ToolLogger; app: () => Promise<App>; connect?: () => Promise<HoldfastClient>; uiUrl?: () => string | null },
): Promise<GatewayParts & { close(): Promise<void> }> {
  const key = await keyOf(config);
  const keys = config.codecKeys === null ? null : await (await import('../encryption/index.js')).openKeys(config.codecKeys, log);
  const store = await openStoreOf({ ...config, codecKeys: keys });
  await announceKey(store, key);
  const traces = config.otlp?.signals.includes('traces') ? openTraces(config.otlp, 'holdfast-gateway') : null;
  const lazyClient = new LazyClient(connect ?? (() => HoldfastClient.connect(keys === null ? {} : { codecKeys: keys })));
  const endReads = keys?.readOnTime();
  const { jwt, callbacks, requestsPerMinute, startLimitMs, corsOrigins, proxies, openMetrics } = config.http;
  const tokens = new Tokens(config.tokens ?? []);
  const authenticator = jwt === null ? tokens : new AnyOf([...(config.tokens === null ? [] : [tokens]), new Jwts(jwt)]);
  const settings = {
    signIn: { ...config.http.signIn, tokens },
    callbacks,
    requestsPerMinute,
    startLimit: startLimitMs === null ? null : { ...DEFAULT_START_LIMIT, ageMs: startLimitMs },
    corsOrigins,
    proxies,
    openMetrics,
    publicUrl: config.publicUrl,
    trustedKeys: config.trustedKeys,
    hosts: config.hosts,
    codec: keys === null ? null : { codecKeys: keys, namespace: config.temporal.namespace, uiUrl },
  };
  let cachedCatalogue: Promise<ToolCatalogue> | undefined;
  const catalogue = () => (cachedCatalogue ??= app().then((loadedApp) => catalogueOf(loadedApp, config.environment)));
  const trust = () => readTrustedKeys(config.trustedKeys).catch(() => []);
  return {
    store,
    log,
    key,
    authenticator,
    catalogue,
    trust,
    ...settings,
    client: lazyClient.get,
    close: async () => {
      endReads?.();
      await lazyClient.close();
      await traces?.close();
    },
  };
}
