/** Settings of the gateway's HTTP server, and of the gateway that the command line asks. */
import type { CallbackHost } from '../shared/wire/callback';
import { ConfigError } from './error';
import type { JwtSettings } from './http';
import type { OidcSettings, SignInConfig } from './sign-in';
import type { Reader } from './variables';

export interface HttpConfig {
  /** Tokens that an issuer signs; null: bearer tokens only. */
  jwt: JwtSettings | null;
  /** Web pages from these origins may call; none by default. */
  corsOrigins: string[];
  /** Limit of one principal, or of one address without a principal. */
  requestsPerMinute: number;
  /** How long tasks may wait for a worker before new work is refused, ms; null: nothing is refused. */
  startLimitMs: number | null;
  /** Number of proxies in front, which give the client's address in `X-Forwarded-For`. */
  proxies: number;
  /** Whether `/metrics` needs no token. */
  openMetrics: boolean;
  /** Where callbacks may be sent, and the key that signs them; null: nowhere. */
  callbacks: CallbackConfig | null;
  /** How people sign in at the page. */
  signIn: SignInConfig;
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
  const [jwt, signIn] = [read('HOLDFAST_JWT') ?? null, signInOf(read)];
  if (jwt !== null && signIn.oidc !== null) checkOneName(jwt, signIn.oidc);
  return {
    jwt,
    corsOrigins: read('HOLDFAST_CORS_ORIGINS') ?? [],
    requestsPerMinute: read('HOLDFAST_HTTP_RATE'),
    startLimitMs: read('HOLDFAST_START_LIMIT_SECONDS'),
    proxies: read('HOLDFAST_HTTP_PROXIES'),
    openMetrics: read('HOLDFAST_HTTP_METRICS') === 'open',
    callbacks: callbacksOf(read),
    signIn,
  };
}

/**
 * Four eyes compares names, so one person must not be two principals: one by a JWT, another one at the page.
 * @throws ConfigError if one issuer's people are named by different claims
 */
function checkOneName(jwt: JwtSettings, oidc: OidcSettings): void {
  const issuerOf = (text: string) => text.replace(/\/+$/, '').toLowerCase();
  if (issuerOf(jwt.issuer) !== issuerOf(oidc.issuer)) return;
  const compare = (setting: string, field: string, page: string | null, token: string | null) => {
    if (page === token) return;
    const [shown, other] = [page, token].map((claim) => (claim === null ? 'not set' : JSON.stringify(claim)));
    const cure = token === null ? `unset ${setting}` : `set ${setting}=${token}`;
    throw new ConfigError(
      `${setting} is ${shown}, but "${field}" of HOLDFAST_JWT is ${other}, and both have people of ${oidc.issuer}: one person would be two principals. To name people by one claim, ${cure}, or change HOLDFAST_JWT.`,
    );
  };
  compare('HOLDFAST_OIDC_NAME_CLAIM', 'principal_claim', oidc.nameClaim, jwt.principal_claim);
  compare('HOLDFAST_OIDC_TENANT_CLAIM', 'tenant_claim', oidc.tenantClaim, jwt.tenant_claim ?? null);
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

function signInOf(read: Reader): SignInConfig {
  const idleMs = read('HOLDFAST_SIGN_IN_IDLE_MINUTES') * 60_000;
  return { oidc: oidcOf(read), idleMs, longestMs: read('HOLDFAST_SIGN_IN_HOURS') * 3_600_000 };
}

const TOGETHER = ['HOLDFAST_OIDC_ISSUER', 'HOLDFAST_OIDC_CLIENT_ID', 'HOLDFAST_OIDC_GROUPS'] as const;

/** @throws ConfigError if only some of the settings are there that belong together */
function oidcOf(read: Reader): OidcSettings | null {
  const clientSecret = read('HOLDFAST_OIDC_CLIENT_SECRET') ?? null;
  const [issuer, clientId, groups] = [read(TOGETHER[0]), read(TOGETHER[1]), read(TOGETHER[2])];
  if (issuer !== undefined && clientId !== undefined && groups !== undefined)
    return {
      issuer,
      clientId,
      clientSecret,
      groups,
      groupsClaim: read('HOLDFAST_OIDC_GROUPS_CLAIM'),
      nameClaim: read('HOLDFAST_OIDC_NAME_CLAIM') ?? null,
      tenantClaim: read('HOLDFAST_OIDC_TENANT_CLAIM') ?? null,
      scopes: read('HOLDFAST_OIDC_SCOPES'),
    };
  const isSet = { HOLDFAST_OIDC_ISSUER: issuer, HOLDFAST_OIDC_CLIENT_ID: clientId, HOLDFAST_OIDC_GROUPS: groups };
  const missing = TOGETHER.filter((name) => isSet[name] === undefined);
  if (missing.length === TOGETHER.length && clientSecret === null) return null;
  throw new ConfigError(
    `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set; to sign people in with OpenID Connect set ${TOGETHER.join(', ')} (docs/http.md), or none of them.`,
  );
}

export function gatewayOf(read: Reader): GatewayAccess | null {
  const [url, token] = [read('HOLDFAST_GATEWAY_URL'), read('HOLDFAST_TOKEN')];
  if (url === undefined && token === undefined) return null;
  if (url !== undefined && token !== undefined) return { url: url.replace(/\/+$/, ''), token };
  const [set, unset] =
    url === undefined ? ['HOLDFAST_TOKEN', 'HOLDFAST_GATEWAY_URL'] : ['HOLDFAST_GATEWAY_URL', 'HOLDFAST_TOKEN'];
  throw new ConfigError(`${unset} is not set but ${set} is; set both, or neither.`);
}
