/** Keys of the sample bundles: always the same, made of their names, so that no private key lies in a file. Good for nothing else. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { trustedEntry } from '../../src/attestation/gateway-key';
import { SigningKey } from '../../src/attestation/signing-key';
import type { TrustedKey } from '../../src/attestation/trusted-keys';

/** What stands before the 32 bytes of an Ed25519 key in PKCS8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export function testKey(name: string): SigningKey {
  const seed = createHash('sha256').update(`holdfast sample bundles: ${name}`).digest();
  const der = Buffer.concat([PKCS8, seed]).toString('base64');
  return SigningKey.ofPem(`-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`, name);
}

/** Signs the samples. */
export const BUNDLE_KEY = testKey('bundle');
/** Signs for everybody. */
export const GATEWAY_KEY = testKey('gateway');
/** Ana's own. */
export const ANA_KEY = testKey('ana');
/** A redactor's: signs bundles too. */
export const REDACTOR_KEY = testKey('redactor');
/** Enrols passkeys. */
export const ENROLLER_KEY = testKey('enroller');
/** In no file. */
export const STRANGER_KEY = testKey('stranger');

const SINCE = { created_at: '2026-01-01T00:00:00.000Z' };

/** What `keys export` would print. */
export const TRUST: TrustedKey[] = [
  { ...trustedEntry(BUNDLE_KEY, { bundle: true }), ...SINCE },
  { ...trustedEntry(REDACTOR_KEY, { bundle: true }), ...SINCE },
  { ...trustedEntry(GATEWAY_KEY), ...SINCE },
  { ...trustedEntry(ANA_KEY, { principal: 'ana', roles: ['treasurer'] }), ...SINCE },
  { ...trustedEntry(ENROLLER_KEY, { enroller: true }), ...SINCE },
];

export const SAMPLES = join(__dirname, '../bundles');
export const TRUST_FILE = join(SAMPLES, 'trust.json');

/** A sample's text: `approval` is `test/bundles/approval.jsonl`. */
export function sample(name: string): Promise<string> {
  return readFile(join(SAMPLES, `${name}.jsonl`), 'utf8');
}
