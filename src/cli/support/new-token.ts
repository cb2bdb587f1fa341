/** Makes a token for the gateway, which is shown once, and the entry by which the gateway knows it. */
import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../shared/json/sha256';

export interface NewToken {
  token: string;
  entry: { principal: string; roles: string[]; token_sha256: string };
}

export function newToken(principal: string, roles: string[]): NewToken {
  const token = `hft_${randomBytes(32).toString('base64url')}`;
  return { token, entry: { principal, roles, token_sha256: sha256Hex(token) } };
}
