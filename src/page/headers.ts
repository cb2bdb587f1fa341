/**
 * Headers that tell browsers what an answer may do. Every answer: nobody may show it in a frame, guess another type for it, or learn
 * its address. The page itself: scripts, styles and connections of our own only.
 */
import type { FastifyInstance } from 'fastify';

const EVERY_ANSWER = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** Set before everything else, so that refusals and streams have them too; a route may replace one. */
export function protectAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => void reply.headers(EVERY_ANSWER));
}

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=(), payment=()',
};
