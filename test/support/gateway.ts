/** A gateway for tests: its principals and its parts. */
import { createHash, randomBytes } from 'node:crypto';
import { SigningKey } from '../../src/attestation/signing-key';
import { Tokens } from '../../src/gateway/auth/principals';
import { silent } from './silent';
import type { GatewayParts } from '../../src/gateway/route';

export interface Person {
  token: string;
  entry: { principal: string; roles: string[]; token_sha256: string };
  /** The headers of a request of this principal. */
  headers: { authorization: string };
}

export function person(principal: string, ...roles: string[]): Person {
  const token = `hft_${randomBytes(32).toString('base64url')}`;
  const entry = { principal, roles, token_sha256: createHash('sha256').update(token).digest('hex') };
  return { token, entry, headers: { authorization: `Bearer ${token}` } };
}

/** Of all gateways whose test says nothing else: those of one store have one key. */
export const GATEWAY_KEY = SigningKey.generate();

/** An Idempotency-Key that no other run has: what is named after a key is there for all tests on the same server. */
export function ownKey(name: string): string {
  return `${name}-${randomBytes(6).toString('hex')}`;
}

/** By default: a store with nothing in it, nobody who may speak, no Temporal. */
export function gatewayParts({ people = [], ...parts }: Partial<GatewayParts> & { people?: Person[] } = {}): GatewayParts {
  return {
    store: { derivedKey: () => Buffer.alloc(32) } as never,
    log: silent,
    client: () => Promise.reject(new Error('This test has no Temporal.')),
    authenticator: new Tokens(people.map(({ entry }) => entry)),
    key: GATEWAY_KEY,
    ...parts,
  };
}
