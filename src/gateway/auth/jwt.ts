/**
 * Authenticates tokens of an issuer (JWT, RFC 7519) with its published keys: signature by a pinned asymmetric algorithm, issuer,
 * audience, time. Claims become a principal: `tenant/name` where a tenant claim is set, else `name`.
 */
import type { JwtSettings } from '../../config/http';
import { claimOf, principalOf, rolesOf, type Claims } from '../../sign-in/claims';
import { Refusal } from '../http/errors';
import { createPrincipal, type Authenticator, type Principal } from './principals';

type Jose = typeof import('jose', { with: { 'resolution-mode': 'import' } });
type FetchImplementation = import('jose', { with: { 'resolution-mode': 'import' } }).FetchImplementation;
type Keys = ReturnType<Jose['createRemoteJWKSet']>;

const LONGEST = 8_192;
const BEARER = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i;
const KEYS_WITHIN_MS = 5_000;
/** An unknown `kid` makes the gateway fetch the keys again, but no more often. */
const ASK_AGAIN_AFTER_MS = 30_000;
/** Pause after a request to the issuer that gave no keys: anyone can send tokens that cause such requests. */
export const KEYS_AGAIN_AFTER_MS = 3_000;
const KEYS_GOOD_FOR_MS = 10 * 60_000;

export class Jwts implements Authenticator {
  readonly hint = 'Send "Authorization: Bearer …" with a token of the issuer that HOLDFAST_JWT names.';
  private joseAndKeys: Promise<{ jose: Jose; keys: Keys }> | undefined;

  constructor(private readonly settings: JwtSettings) {}

  /**
   * Null also for a token that is wrong in any way: its sender learns no reason. @throws Refusal 503 if the keys cannot be
   * fetched
   */
  async authenticate(authorization: string | undefined): Promise<Principal | null> {
    if ((authorization?.length ?? 0) > LONGEST) return null;
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined) return null;
    const { jose, keys } = await (this.joseAndKeys ??= this.load());
    const { issuer, audience, algorithms, clock_tolerance_seconds } = this.settings;
    try {
      const { payload } = await jose.jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms,
        clockTolerance: clock_tolerance_seconds,
        requiredClaims: ['exp', this.settings.principal_claim],
      });
      return this.principalOf(payload);
    } catch (error) {
      if (isWrongToken(error, jose)) return null;
      const message = 'The keys of the issuer of tokens cannot be had; try again in a moment.';
      throw new Refusal({ code: 'NETWORK_ERROR', reason: 'issuer_unreachable', message });
    }
  }

  private async load(): Promise<{ jose: Jose; keys: Keys }> {
    const jose = await import('jose'); // an ES module
    const keys = jose.createRemoteJWKSet(new URL(this.settings.jwks_url), {
      timeoutDuration: KEYS_WITHIN_MS,
      cooldownDuration: ASK_AGAIN_AFTER_MS,
      cacheMaxAge: KEYS_GOOD_FOR_MS,
      [jose.customFetch]: sparing(),
    });
    return { jose, keys };
  }

  private principalOf(claims: Claims & { exp?: number }): Principal | null {
    const { principal_claim, tenant_claim, roles_claim, clock_tolerance_seconds } = this.settings;
    // The issuer itself says that the address may be somebody else's.
    if (principal_claim === 'email' && claimOf(claims, 'email_verified') === false) return null;
    const name = principalOf(claims, { name: principal_claim, tenant: tenant_claim ?? null });
    // Not earlier than the token is refused: who came back with it would be let in, and sent away at once.
    const ends = (claims.exp! + clock_tolerance_seconds) * 1000;
    return name === null ? null : createPrincipal(name, rolesOf(claims, roles_claim), ends);
  }
}

/** jose sends one request at a time, and none for long after a success. This limits the requests after a failure. */
function sparing(): FetchImplementation {
  let notBefore = 0;
  return async (url, options) => {
    if (performance.now() < notBefore) throw new Error('The issuer was asked a moment ago, and gave no keys.');
    try {
      return await fetch(url, options);
    } finally {
      notBefore = performance.now() + KEYS_AGAIN_AFTER_MS;
    }
  };
}

/** With these errors the token is wrong. All other errors are about the keys, or the connection to the issuer. */
function isWrongToken(error: unknown, { errors }: Jose): boolean {
  const wrong = [
    errors.JWSSignatureVerificationFailed,
    errors.JWTExpired,
    errors.JWTClaimValidationFailed,
    errors.JWTInvalid,
    errors.JWSInvalid,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
  ];
  return wrong.some((kind) => error instanceof kind);
}

/** Tries several authenticators; the first that finds a principal decides. */
export class AnyOf implements Authenticator {
  readonly hint: string;

  constructor(private readonly authenticators: readonly Authenticator[]) {
    this.hint = authenticators.map(({ hint }) => hint).join(' Or: ');
  }

  async authenticate(authorization: string | undefined): Promise<Principal | null> {
    for (const one of this.authenticators) {
      const principal = await one.authenticate(authorization);
      if (principal !== null) return principal;
    }
    return null;
  }
}
