/** Settings of the gateway's HTTP server, and of the gateway that the command line asks. */
import type { CallbackHost } from '../shared/wire/callback';
import { ConfigError } from './error';
import type { JwtSettings } from './http';
import type { Reader } from './variables';

export interface HttpConfig {
  /** Tokens that an issuer signs; null: bearer tokens only. */
  jwt: JwtSettings | null;
  /** Web pages from these origins may call; none by default. */
  corsOrigins: string[];
  /** Limit of one principal, or of one address without a principal. */
  requestsPerMinute: number;
  /** Number of proxies in front, which give the client's address in `X-Forwarded-For`. */
  proxies: number;
  /** Whether `/metrics` needs no token. */
  openMetrics: boolean;
  /** Where callbacks may be sent, and the key that signs them; null: nowhere. */
  callbacks: CallbackConfig | null;
}

export interface CallbackConfig {
  hosts: CallbackHost[];
  /** `whsec_…` */
  secret: string;
}

/** A gateway that is asked, and the token for it. */
export interface GatewayAccess {
  url: string;
  token: string;
}

export function httpOf(read: Reader): HttpConfig {
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

export function gatewayOf(read: Reader): GatewayAccess | null {
  const [url, token] = [read('HOLDFAST_GATEWAY_URL'), read('HOLDFAST_TOKEN')];
  if (url === undefined && token === undefined) return null;
  if (url !== undefined && token !== undefined) return { url: url.replace(/\/+$/, ''), token };
  const [set, unset] =
    url === undefined ? ['HOLDFAST_TOKEN', 'HOLDFAST_GATEWAY_URL'] : ['HOLDFAST_GATEWAY_URL', 'HOLDFAST_TOKEN'];
  throw new ConfigError(`${unset} is not set but ${set} is; set both, or neither.`);
}
