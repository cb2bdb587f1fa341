/**
 * People who are signed in at the page: a cookie names their sign-in, and stands beside bearer tokens and tickets. Browsers send cookies
 * by themselves, so more is asked of such a request: it must come from our own page, and if it changes anything it must have the
 * page's token of the sign-in in a header, which no other page can read or write.
 */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayWord } from '../../attestation/gateway-key';
import { trustedHere } from '../../attestation/passkey-view';
import type { SignInConfig } from '../../config/sign-in';
import { tenantOf } from '../../shared/ids';
import { Cookies } from '../../sign-in/cookies';
import { rolesOfGroups } from '../../sign-in/oidc-person';
import { OidcProvider } from '../../sign-in/oidc-provider';
import { isSafe, mayRead, originFault } from '../../sign-in/own-page';
import { csrfTokenOf, hashOfId, SignIns, type Proof, type SignIn } from '../../sign-in/sessions';
import { Refusal } from '../http/errors';
import { onceClosed } from '../http/observe';
import type { GatewayParts } from '../route';
import { createPrincipal, type Principal, type Tokens } from './principals';

export const CSRF_HEADER = 'x-holdfast-csrf';
/** How often a stream that a cookie has opened looks whether its sign-in has ended. */
const LOOK_EVERY_MS = 10_000;

/** A person at the page, as a request finds them. */
export interface SignedIn extends SignIn {
  principal: Principal;
}

type Headers = FastifyRequest['headers'];

export class BrowserSignIn {
  readonly oidc: OidcProvider | null;
  readonly cookies: Cookies;
  /** What gateways say of people in the store. */
  readonly word: GatewayWord;
  private readonly signIns: SignIns;

  constructor(
    parts: Pick<GatewayParts, 'store' | 'key' | 'trustedKeys'>,
    readonly tokens: Tokens,
    readonly publicUrl: string,
    settings: SignInConfig,
  ) {
    const { registers, identity } = parts.store;
    this.word = new GatewayWord(parts.key, identity.id, () => trustedHere(parts));
    this.signIns = new SignIns(registers, settings, this.word);
    this.cookies = new Cookies(publicUrl);
    this.oidc = settings.oidc === null ? null : new OidcProvider(settings.oidc, publicUrl);
  }

  /**
   * Null: the request has no cookie of a sign-in that counts.
   * @throws Refusal 403 if it has one, but another page may have sent the request
   */
  async ofRequest({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): Promise<SignedIn | null> {
    const id = this.cookies.read(headers.cookie, 'session');
    if (id === null || !mayRead(headers)) return null;
    const isStream = headers.accept?.includes('text/event-stream') ?? false;
    const signedIn = await this.find(id, !isStream);
    if (signedIn !== null && !isSafe(method)) this.mustBeOwnPage(headers, id);
    return signedIn;
  }

  /** The same for a page of another origin that a route lets ask: by the header Origin, which no page can write. */
  async ofOtherPage({ headers }: Pick<FastifyRequest, 'headers'>): Promise<SignedIn | null> {
    const id = this.cookies.read(headers.cookie, 'session');
    return id === null ? null : this.find(id, true);
  }

  /** Begins a sign-in, ends the one that the browser had, and sets the cookie. */
  async begin(reply: FastifyReply, proof: Proof, before: { idHash: string | null; atMost?: number | null }): Promise<SignedIn> {
    const principal = this.principalOf(proof);
    if (principal === null) throw new Error('A sign-in began with a proof that the settings do not know.');
    if (before.idHash !== null) await this.signIns.end(before.idHash);
    const signIn = await this.signIns.begin(proof, before.atMost ?? null);
    void reply.header('set-cookie', this.cookies.set('session', signIn.id));
    return { ...signIn, principal };
  }

  async end(reply: FastifyReply, { id }: SignIn): Promise<void> {
    await this.signIns.end(hashOfId(id));
    void reply.header('set-cookie', this.cookies.remove('session'));
  }

  /** Hash of the id that the browser's cookie has, whether it counts or not; null: it has none. */
  idHashOf(headers: Headers): string | null {
    const id = this.cookies.read(headers.cookie, 'session');
    return id === null ? null : hashOfId(id);
  }

  /** A request that signs somebody in must come from our page, or another page could sign a person in as somebody else. */
  mustBeOwnOrigin(headers: Headers): void {
    const fault = originFault(headers, this.publicUrl);
    if (fault !== null) throw csrfRefusal(fault);
  }

  /** Ends an answer that goes on after its sign-in has ended: a stream. */
  endWithSignIn({ id }: SignIn, reply: FastifyReply): void {
    const look = async () => {
      const isAlive = await this.signIns.find(id, false).then(
        (signIn) => signIn !== null && this.principalOf(signIn.proof) !== null,
        () => true, // the store does not answer: that says nothing about the sign-in
      );
      if (!isAlive) reply.raw.destroy();
    };
    const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
    onceClosed(reply, () => clearInterval(timer));
  }

  private async find(id: string, isUse: boolean): Promise<SignedIn | null> {
    const signIn = await this.signIns.find(id, isUse);
    const principal = signIn === null ? null : this.principalOf(signIn.proof);
    return signIn === null || principal === null ? null : { ...signIn, principal };
  }

  private mustBeOwnPage(headers: Headers, id: string): void {
    this.mustBeOwnOrigin(headers);
    const [sent, token] = [Buffer.from(String(headers[CSRF_HEADER] ?? '')), Buffer.from(csrfTokenOf(id))];
    if (sent.length !== token.length || !timingSafeEqual(sent, token))
      throw csrfRefusal(`The header ${CSRF_HEADER} is missing, or not the value that GET /v1/me gives.`);
  }

  /**
   * By the settings of now: a token that they no longer have, or another provider, ends what was begun with it. What began with a tenant
   * ends when they have no tenants any more, and the other way round.
   */
  private principalOf(proof: Proof): Principal | null {
    if (proof.by === 'token') return this.tokens.principalOfHash(proof.token_sha256);
    const settings = this.oidc?.settings;
    if (settings === undefined || settings.issuer !== proof.issuer) return null;
    if ((tenantOf(proof.principal) === null) !== (settings.tenantClaim === null)) return null;
    const roles = rolesOfGroups(proof.groups, settings);
    return proof.groups.some((group) => settings.groups.has(group)) ? createPrincipal(proof.principal, roles) : null;
  }
}

/** Null: nobody can sign in. */
export function browserSignInOf(parts: GatewayParts): BrowserSignIn | null {
  const { signIn, publicUrl } = parts;
  if (signIn === undefined) return null;
  if (publicUrl === undefined) throw new Error('People sign in at publicUrl: set it together with signIn.');
  return new BrowserSignIn(parts, signIn.tokens, publicUrl, signIn);
}

function csrfRefusal(message: string): Refusal {
  const hint = `Requests with a cookie that change something come from the page at HOLDFAST_PUBLIC_URL, with ${CSRF_HEADER}; programs send a bearer token.`;
  return new Refusal({ code: 'PERMISSION_DENIED', reason: 'not_own_page', message, hint });
}
