/** What the gateway needs, from the settings: store, client, its key, and who may speak to it. */
import { announceKey, gatewayKey } from '../attestation/gateway-key';
import type { SigningKey } from '../attestation/signing-key';
import type { App } from '../agents/define';
import { HoldfastClient } from '../client';
import { defaultSigningKey, defaultTrustedKeys, type Config } from '../config';
import { openStore } from '../store/open-store';
import { Connected } from './connected';
import { AnyOf, Jwts } from './auth/jwt';
import { Tokens } from './auth/principals';
import { catalogueOf, type ToolCatalogue } from './tool-catalogue';
import type { GatewayParts } from './route';
import type { ToolLogger } from '../tools/define/tool';

/** The gateway's key, made where there is none yet. @throws BadSigningKey, BadKeyFile */
export function keyOf({ home, signingKey, trustedKeys }: Config): Promise<SigningKey> {
  const own = trustedKeys === defaultTrustedKeys(home);
  return gatewayKey({ signingKey, made: defaultSigningKey(home), trustedKeys: own ? trustedKeys : null });
}

/**
 * @param parts.app what the workers serve; asked for once somebody wants to see its tools
 * @param parts.connect asked for once a client is needed, and again until it has connected; absent: by the environment, or to the
 * embedded stack that runs here
 * @throws BadSigningKey, BadKeyFile; Error of the store
 */
export async function gatewayParts(
  config: Config,
  {
    log,
    app,
    connect = () => HoldfastClient.connect(),
  }: { log: ToolLogger; app: () => Promise<App>; connect?: () => Promise<HoldfastClient> },
): Promise<GatewayParts & { close(): Promise<void> }> {
  const key = await keyOf(config);
  const store = await openStore(config.store);
  await announceKey(store, key);
  const connected = new Connected(connect);
  const { jwt, callbacks, requestsPerMinute, corsOrigins, proxies, openMetrics } = config.http;
  const tokens = new Tokens(config.tokens ?? []);
  const authenticator = jwt === null ? tokens : new AnyOf([...(config.tokens === null ? [] : [tokens]), new Jwts(jwt)]);
  const settings = {
    callbacks,
    requestsPerMinute,
    corsOrigins,
    proxies,
    openMetrics,
    publicUrl: config.publicUrl,
    hosts: config.hosts,
  };
  let loaded: Promise<ToolCatalogue> | undefined;
  const catalogue = () => (loaded ??= app().then((served) => catalogueOf(served, config.environment)));
  return { store, log, key, authenticator, catalogue, ...settings, client: connected.get, close: () => connected.close() };
}
