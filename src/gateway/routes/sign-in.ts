/** Routes by which a person signs in at the page with a token, asks who they are, and signs out. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { csrfTokenOf } from '../../sign-in/sessions';
import { tokenHash, type Principal } from '../auth/principals';
import type { SignedIn } from '../auth/browser-sign-in';
import { Refusal } from '../http/errors';
import type { Route } from '../route';
import { answer, answers, body } from '../schemas/common';

/** Attempts from one address in a minute: enough for an office behind one address, far too few to guess. */
export const ATTEMPTS_PER_MINUTE = 30;
export const ATTEMPTS = { rateLimit: { max: ATTEMPTS_PER_MINUTE, timeWindow: 60_000 } };

const time = z.string().meta({ format: 'date-time' }).nullable();
const me = z.object({
  principal: z.string(),
  roles: z.array(z.string()),
  sign_in: z.enum(['oidc', 'token', 'bearer']).describe('`bearer`: a token or a JWT in the header; the others: a cookie.'),
  csrf: z
    .string()
    .nullable()
    .describe('For the header `x-holdfast-csrf` of each request with the cookie that changes something. Null: no cookie.'),
  idle_expires_at: time.describe('When the sign-in ends if nothing is asked for until then.'),
  expires_at: time.describe('When it ends in any case.'),
});
type Me = z.infer<typeof me>;
const exampleMe: Me = {
  principal: 'acme/ana',
  roles: ['approver'],
  sign_in: 'oidc',
  csrf: 'vVbX7O0Jc2P0Zc0mQGyJ2c2nJ1p0o2b9m8l7k6j5i4h',
  idle_expires_at: '2026-01-31T10:29:59.123Z',
  expires_at: '2026-01-31T21:59:59.123Z',
};

const meSchema = {
  summary: 'Who the request is from',
  tags: ['operation'],
  response: answers({ 200: answer('The principal, and the sign-in.', me, exampleMe) }),
};

const waysIn = z.object({
  oidc: z.boolean().describe('Whether people sign in at an OpenID provider: `GET /sign-in/oidc` leads there.'),
  tokens: z.boolean().describe('Whether people sign in with a token: `POST /v1/sign-in`.'),
  provider_answers: z.boolean().nullable().describe('Whether the OpenID provider answers now. Null: there is none.'),
});

const waysSchema = {
  summary: 'How people sign in at the page',
  tags: ['operation'],
  response: {
    200: answer('The ways that the settings allow.', waysIn, { oidc: true, tokens: true, provider_answers: true }),
  },
};

const credentials = z.strictObject({
  token: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/)
    .describe('As `holdfast keys token` prints it.'),
});

const signInSchema = {
  summary: 'Sign in with a token',
  description: `Sets the cookie that the page uses from then on. For the page at HOLDFAST_PUBLIC_URL only, ${ATTEMPTS_PER_MINUTE} times a minute from one address; programs send the token with each request.`,
  tags: ['operation'],
  body: body(credentials, { token: 'hft_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG' }),
  response: answers({ 200: answer('Who signed in.', me, { ...exampleMe, sign_in: 'token' }) }),
};

const signedOut = z.object({
  signed_out: z.literal(true),
  next: z.string().nullable().describe('Where the browser goes to sign out of the OpenID provider too. Null: nowhere.'),
});

const signOutSchema = {
  summary: 'Sign out',
  description: 'Ends the sign-in of the cookie, at every gateway of the store, with its streams. A token goes on.',
  tags: ['operation'],
  response: answers({ 200: answer('It has ended.', signedOut, { signed_out: true, next: null }) }),
};

export const signIn: Route = (app, { log }) => {
  const browser = app.browserSignIn;
  app.get<{ Reply: Me }>('/v1/me', { schema: meSchema, config: { roles: 'any' } }, async (request, reply) =>
    reply.header('cache-control', 'no-store').send(meOf(request)),
  );

  app.get<{ Reply: z.infer<typeof waysIn> }>(
    '/v1/sign-in',
    { schema: waysSchema, config: { roles: 'public' } },
    async (_request, reply) => {
      const oidc = browser?.oidc ?? null;
      return reply.header('cache-control', 'no-store').send({
        oidc: oidc !== null,
        tokens: browser !== null && !browser.tokens.isEmpty,
        provider_answers: oidc === null ? null : await oidc.isThere(),
      });
    },
  );

  app.post<{ Body: z.infer<typeof credentials>; Reply: Me }>(
    '/v1/sign-in',
    { schema: signInSchema, config: { roles: 'public', ...ATTEMPTS } },
    async ({ headers, body: { token }, ip }, reply) => {
      if (browser === null) throw new Refusal(NO_SIGN_IN);
      browser.mustBeOwnOrigin(headers);
      const token_sha256 = tokenHash(token);
      if (browser.tokens.principalOfHash(token_sha256) === null) {
        log.warn({ address: ip }, 'sign-in with a token that is not known');
        throw new Refusal({
          code: 'UNAUTHORIZED',
          reason: 'unknown_token',
          message: 'The gateway does not know this token.',
          hint: 'A token begins with hft_; `holdfast keys token` makes one, and HOLDFAST_TOKENS must have its entry.',
        });
      }
      const signedIn = await browser.begin(reply, { by: 'token', token_sha256 }, { idHash: browser.idHashOf(headers) });
      log.info({ principal: signedIn.principal.name, by: 'token' }, 'signed in');
      return reply.header('cache-control', 'no-store').send(meOf(signedIn));
    },
  );

  app.post<{ Reply: z.infer<typeof signedOut> }>(
    '/v1/sign-out',
    { schema: signOutSchema, config: { roles: 'any' } },
    async ({ signIn: own, principal }, reply) => {
      if (own === null || browser === null) throw new Refusal(NOTHING_TO_END);
      await browser.end(reply, own);
      log.info({ principal: principal.name, by: own.proof.by }, 'signed out');
      const next = own.proof.by === 'oidc' ? ((await browser.oidc?.signOutUrl()) ?? null) : null;
      return reply.header('cache-control', 'no-store').send({ signed_out: true, next });
    },
  );
};

function meOf(of: SignedIn | Pick<FastifyRequest, 'principal' | 'signIn'>): Me {
  const principal: Principal = of.principal;
  const { name, roles } = principal;
  const own = 'proof' in of ? of : of.signIn;
  const who = { principal: name, roles: [...roles] };
  if (own === null) return { ...who, sign_in: 'bearer', csrf: null, idle_expires_at: null, expires_at: null };
  const [idle_expires_at, expires_at] = [own.idleEnds, own.ends].map((at) => new Date(at).toISOString()) as [string, string];
  return { ...who, sign_in: own.proof.by, csrf: csrfTokenOf(own.id), idle_expires_at, expires_at };
}

const NO_SIGN_IN = {
  code: 'RESOURCE_NOT_FOUND',
  reason: 'no_sign_in',
  message: 'Nobody can sign in at this gateway: its program has not set that up.',
} as const;
const NOTHING_TO_END = {
  code: 'INVALID_PARAMS',
  reason: 'no_sign_in',
  message: 'This request has no cookie of a sign-in. A token ends when its entry is taken out of HOLDFAST_TOKENS.',
} as const;
