/**
 * Authenticates each request before its body is read, and checks that the principal may use the route. Each route names its roles
 * in its `config`; a route without them is a programming error, and keeps the gateway from starting.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../http/errors';
import type { BrowserSignIn, SignedIn } from './browser-sign-in';
import type { Authenticator, Principal, Role, Tickets } from './principals';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The principal needs one of these; `any`: none of them; `public`: there need be no principal. */
    roles?: readonly Role[] | 'any' | 'public';
    /** A stream that a ticket opens too. */
    takesTicket?: boolean;
    /** Pages of another origin that may send the cookie of a sign-in too, to a route that changes nothing. */
    otherPages?: (origin: string) => boolean;
  }
  interface FastifyRequest {
    /** The principal who sent the request; absent on public routes. */
    principal: Principal;
    /** The sign-in whose cookie names the principal; null: a token or a ticket does. */
    signIn: SignedIn | null;
    /** Null: a cookie names the principal, or nothing does. */
    tokenCheck: TokenCheck | null;
  }
}

/** Of a token, or of the ticket that was given for it. */
interface TokenCheck {
  /** ms since 1970; Infinity: only `counts` knows. */
  ends: number;
  /** Whether it still names the same principal with the same roles. */
  counts(): Promise<boolean>;
}

/** A stream that a ticket opened ends after so long, ms, if the ticket does not say when its token ends. */
const LONGEST_BY_TICKET_MS = 600_000;

export interface Ways {
  authenticator: Authenticator;
  tickets: Tickets;
  /** Null: nobody can sign in at the page. */
  signIn: BrowserSignIn | null;
}

/**
 * @param nobody is called for each request without a principal, or whose principal cannot be checked now; may throw its own
 *   refusal
 */
export function authenticateRequests(
  app: FastifyInstance,
  { authenticator, tickets, signIn }: Ways,
  nobody: (request: FastifyRequest) => Promise<void>,
): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.roles === undefined)
      throw new Error(`The route ${String(method)} ${url} does not say in its config which roles may.`);
  });
  app.decorateRequest('signIn', null).decorateRequest('tokenCheck', null);
  app.addHook('onRequest', async (request, reply) => {
    const { roles, takesTicket, otherPages } = request.routeOptions.config;
    if (roles === 'public') return;
    const { authorization } = request.headers;
    const isBare = authorization === undefined;
    const isOtherPage = request.headers.origin !== undefined && otherPages?.(request.headers.origin) === true;
    const ticketHolder = takesTicket && isBare ? tickets.principalOf(request.url, Date.now()) : null;
    // A token that is sent counts, also if it is wrong: whoever sends one means it.
    const signedIn =
      isBare && ticketHolder === null
        ? ((await (isOtherPage ? signIn?.ofOtherPage(request) : signIn?.ofRequest(request))) ?? null)
        : null;
    const principal =
      ticketHolder ??
      signedIn?.principal ??
      (await authenticator.authenticate(authorization).catch(async (error: unknown) => {
        await nobody(request);
        throw error;
      }));
    if (principal === null) {
      await nobody(request);
      void reply.header('www-authenticate', 'Bearer');
      const message = 'This needs a token that names a principal.';
      const hint = signIn === null ? authenticator.hint : `${authenticator.hint} People sign in at ${signIn.publicUrl}/.`;
      throw new Refusal({ code: 'UNAUTHORIZED', reason: 'no_principal', message, hint });
    }
    if (roles !== 'any') needRole(principal, roles ?? []);
    request.principal = principal;
    request.signIn = signedIn;
    if (signedIn !== null) signIn?.endWithSignIn(signedIn, reply);
    else if (ticketHolder !== null)
      request.tokenCheck = { ends: principal.tokenEnds ?? Date.now() + LONGEST_BY_TICKET_MS, counts: async () => true };
    else
      request.tokenCheck = {
        ends: principal.tokenEnds ?? Infinity,
        counts: () =>
          authenticator.authenticate(authorization).then(
            (now) => isDeepStrictEqual(now, principal),
            () => true, // it cannot be checked now: that says nothing about the token
          ),
      };
  });
}

/**
 * Calls back once, when the token or the ticket of a request does not count any more. Resolves then, or when the signal aborts.
 * @param at.lookMs how often it is looked at
 */
export async function onceTokenEnds(
  { tokenCheck }: FastifyRequest,
  { lookMs, signal }: { lookMs: number; signal: AbortSignal },
  act: () => void,
): Promise<void> {
  if (!tokenCheck) return;
  const { ends, counts } = tokenCheck;
  const next = () => Math.min(lookMs, Math.max(0, ends - Date.now()));
  do await sleep(next(), undefined, { signal }).catch(() => undefined);
  while (!signal.aborted && Date.now() < ends && (await counts()));
  if (!signal.aborted) act();
}

export function hasRole({ roles: own }: Principal, roles: readonly Role[]): boolean {
  return roles.some((role) => own.includes(role));
}

/** @throws Refusal 403 for a principal without any of these roles */
export function needRole(principal: Principal, roles: readonly Role[]): void {
  if (hasRole(principal, roles)) return;
  const message = `This takes one of the roles ${roles.join(', ')}; ${principal.name} has ${principal.roles.join(', ') || 'none'}.`;
  throw new Refusal({ code: 'PERMISSION_DENIED', reason: 'role_missing', message });
}
