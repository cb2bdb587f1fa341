/** Each request has an id: the caller's own, if it is well-formed, else one of ours. It stands in the answer and in the log. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const GIVEN = /^[A-Za-z0-9._-]{1,64}$/;

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && GIVEN.test(given) ? given : `req_${randomBytes(12).toString('hex')}`;
}
