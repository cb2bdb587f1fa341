/**
 * An OpenID provider, by openid-client: authorization code with PKCE, state and nonce; `iss`, audience and signature of the ID token are
 * checked. The provider is found when it is first needed, and again after a failure: the gateway starts without it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { OidcSettings } from '../config/sign-in';
import { checkPackage } from '../optional-package';
import type { Claims } from './claims';
import { FLOW_SECONDS, type OidcFlow } from './oidc-flow';

type OpenId = typeof import('openid-client', { with: { 'resolution-mode': 'import' } });
type ClientAuth = import('openid-client', { with: { 'resolution-mode': 'import' } }).ClientAuth;
type Configuration = import('openid-client', { with: { 'resolution-mode': 'import' } }).Configuration;

const ANSWER_WITHIN_S = 10;
const SOON_MS = 2000;
/** Pause after a failure: anyone can send requests that make us ask the provider. */
export const FIND_AGAIN_AFTER_MS = 3000;

/** The provider does not answer, or not as a provider does. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
}

/** The provider's answer does not count. */
export class SignInRefusal extends Error {
  override readonly name = 'SignInRefusal';

  /** @param reason for logs: a code of the provider or of openid-client */
  constructor(readonly reason: string) {
    super(`The answer of the OpenID provider does not count: ${reason}`);
  }
}

interface Discovery {
  openid: OpenId;
  provider: Configuration;
}

export class OidcProvider {
  private discovery: Promise<Discovery> | null = null;
  /** The last one; until then the provider is not asked again. */
  private failure: { error: Error; until: number } | null = null;
  readonly redirectUri: string;

  constructor(
    readonly settings: OidcSettings,
    private readonly publicUrl: string,
  ) {
    checkPackage('openid-client', 'HOLDFAST_OIDC_ISSUER');
    this.redirectUri = new URL(`${publicUrl}/sign-in/oidc/callback`).href; // as it is sent back: in lower case, without a usual port
  }

  /** Whether it answers, soon: a page waits for this. */
  async isThere(): Promise<boolean> {
    const answers = this.find().then(
      () => true,
      () => false,
    );
    return Promise.race([answers, wait(SOON_MS, false, { ref: false })]);
  }

  /** Where to send the browser, and what to remember until it is back. @throws ProviderUnreachable */
  async begin(replaces: string | null, now: number): Promise<{ url: string; flow: OidcFlow }> {
    const { openid, provider } = await this.find();
    const [state, nonce, verifier] = [openid.randomState(), openid.randomNonce(), openid.randomPKCECodeVerifier()];
    const challenge = await openid.calculatePKCECodeChallenge(verifier);
    try {
      const url = openid.buildAuthorizationUrl(provider, {
        response_type: 'code',
        redirect_uri: this.redirectUri,
        scope: this.settings.scopes,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
      return { url: url.href, flow: { state, nonce, verifier, replaces, expires: now + FLOW_SECONDS * 1000 } };
    } catch (error) {
      throw faultOf(error, openid); // it has no address for this
    }
  }

  /**
   * @param query of the request with which the provider sent the browser back
   * @returns what the provider says of the person
   * @throws SignInRefusal, ProviderUnreachable
   */
  async finish(query: string, { state, nonce, verifier }: OidcFlow): Promise<Claims & { sub: string }> {
    const { openid, provider } = await this.find();
    try {
      const tokens = await openid.authorizationCodeGrant(provider, new URL(`${this.redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new SignInRefusal('no_id_token');
      if (this.saysEnough(claims) || provider.serverMetadata().userinfo_endpoint === undefined) return claims;
      // Many providers put groups and e-mail addresses only there.
      return { ...claims, ...(await openid.fetchUserInfo(provider, tokens.access_token, claims.sub)) };
    } catch (error) {
      throw faultOf(error, openid);
    }
  }

  /** Where the browser signs out of the provider; null: it has no such address, or does not answer. */
  async signOutUrl(): Promise<string | null> {
    const { openid, provider } = await this.find().catch(() => ({ openid: null, provider: null }));
    if (provider === null || provider.serverMetadata().end_session_endpoint === undefined) return null;
    return openid.buildEndSessionUrl(provider, { post_logout_redirect_uri: `${this.publicUrl}/` }).href;
  }

  private saysEnough(claims: Claims): boolean {
    const { groupsClaim, nameClaim, tenantClaim } = this.settings;
    return [groupsClaim, nameClaim ?? 'email', ...(tenantClaim === null ? [] : [tenantClaim])].every((claim) =>
      Object.hasOwn(claims, claim),
    );
  }

  /** @throws ProviderUnreachable */
  private find(): Promise<Discovery> {
    if (this.discovery !== null) return this.discovery;
    if (this.failure !== null && performance.now() < this.failure.until) return Promise.reject(this.failure.error);
    const discovery = (this.discovery = this.discover());
    discovery.catch((error: unknown) => {
      this.discovery = null;
      this.failure = { error: error as Error, until: performance.now() + FIND_AGAIN_AFTER_MS };
    });
    return discovery;
  }

  private async discover(): Promise<Discovery> {
    const { issuer, clientId, clientSecret } = this.settings;
    const openid = await import('openid-client'); // an ES module
    const authentication = clientSecret === null ? openid.None() : withSecret(openid, clientSecret);
    // Signatures are checked although the ID token comes from the provider itself: a proxy for the way there may be in between.
    const execute = [openid.enableNonRepudiationChecks];
    if (issuer.startsWith('http:')) execute.push(openid.allowInsecureRequests); // on this machine only, the settings say
    try {
      const options = { execute, timeout: ANSWER_WITHIN_S };
      return { openid, provider: await openid.discovery(new URL(issuer), clientId, {}, authentication, options) };
    } catch (error) {
      throw new ProviderUnreachable(error instanceof Error ? error.message : 'It does not answer.');
    }
  }
}

/** In a header, as every provider has to accept it unless it says otherwise; else in the body. */
function withSecret(openid: OpenId, secret: string): ClientAuth {
  const [inHeader, inBody] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (provider, client, body, headers) => {
    const methods = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(provider, client, body, headers);
  };
}

/** Codes of openid-client for a provider that did not answer, or not as a provider does; all other errors are about the answer. */
const UNREACHABLE = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_RESPONSE_IS_NOT_CONFORM']);

function faultOf(error: unknown, openid: OpenId): Error {
  if (error instanceof SignInRefusal) return error;
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError)
    return new SignInRefusal(
      String(error.error)
        .replace(/[^a-z_]/g, '')
        .slice(0, 60),
    );
  const { code } = error as { code?: unknown };
  if (error instanceof openid.ClientError && typeof code === 'string' && !UNREACHABLE.has(code)) return new SignInRefusal(code);
  return new ProviderUnreachable(error instanceof Error ? error.message : 'It does not answer.');
}
