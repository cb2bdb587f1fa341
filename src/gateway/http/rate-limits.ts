/**
 * How often one may ask: each principal by itself, and each address that names none or a wrong one. Counted in this process:
 * of several gateways each grants as much.
 */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from './errors';

/** Names that are kept in mind at once. */
const MOST_NAMES = 10_000;
const A_MINUTE = 60_000;
/** Wrong tokens from one address, a minute. */
const WRONG_TOKENS = 60;

/** @returns counts a request that named nobody. @throws Refusal 429 once there were too many of its address */
export async function limitRates(
  app: FastifyInstance,
  requestsPerMinute: number,
): Promise<(request: FastifyRequest) => Promise<void>> {
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: A_MINUTE,
    cache: MOST_NAMES,
    keyGenerator: ({ principal, ip }) => (principal ? `principal ${principal.name}` : `address ${ip}`),
    errorResponseBuilder: (_request, { ttl }) => tooMany(ttl),
  });
  const wrong = app.createRateLimit({ max: WRONG_TOKENS, timeWindow: A_MINUTE, keyGenerator: ({ ip }) => `wrong ${ip}` });
  return async (request) => {
    const counted = await wrong(request);
    if (!counted.isAllowed && counted.isExceeded) throw tooMany(counted.ttl);
  };
}

function tooMany(ms: number): Refusal {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const message = `Too many requests; try again in ${seconds} s.`;
  return new Refusal({ code: 'RATE_LIMITED', reason: 'too_many_requests', message, retryAfterMs: seconds * 1000 });
}
