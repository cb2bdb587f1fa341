/**
 * Signs audit bundles with a key that does nothing else, and makes signed decisions and signed starts of turns. The key for bundles
 * may be outside of this process: then a command that has the key gets the bytes on its standard input, and prints the signature.
 */
import { spawn } from 'node:child_process';
import { verify, randomBytes } from 'node:crypto';
import { ownKey } from './gateway-key';
import { keyId, publicKey } from './public-key';
import { BadSigningKey, SigningKey } from './signing-key';
import type { DecisionClaims, StartClaims } from './claims';
import { errorMessage } from '../shared/text/error-message';

export interface BundleSigner {
  /** First 16 hex characters of the SHA-256 of the raw public key. */
  readonly kid: string;
  /** The raw public key, base64url. */
  readonly public: string;
  /** Ed25519. @throws BadSigningKey */
  sign(bytes: Uint8Array): Promise<Buffer>;
}

/** The key that the settings name; null: none. */
export type NamedBundleKey = { file: string } | { pem: string } | { command: string; public: string } | null;

export interface BundleKeyPlaces {
  named: NamedBundleKey;
  /** Path of holdfast's own key, which is made on first use. */
  made: string;
  /** The file that a new key is added to. Null: holdfast may not write it. */
  trustedKeys: string | null;
}

/** @throws BadSigningKey, BadKeyFile */
export async function bundleSigner({ named, made, trustedKeys }: BundleKeyPlaces): Promise<BundleSigner> {
  if (named === null) return ofKey(await ownKey(made, trustedKeys, { bundle: true }));
  if ('command' in named) return new CommandSigner(named.command, named.public);
  return ofKey('file' in named ? await SigningKey.read(named.file) : SigningKey.ofPem(named.pem, 'in HOLDFAST_BUNDLE_KEY_PEM'));
}

export function ofKey(key: SigningKey): BundleSigner {
  return { kid: key.kid, public: key.public, sign: async (bytes) => key.sign(bytes) };
}

/** Longest time that the command may take, ms: it may ask a key service. */
const SIGN_WITHIN = 60_000;
const SIGNATURE = /^[A-Za-z0-9_-]{86}$/;
const MOST_OUTPUT = 10_000;

class CommandSigner implements BundleSigner {
  readonly kid: string;
  readonly public: string;

  constructor(
    private readonly command: string,
    raw: string,
  ) {
    try {
      publicKey(raw);
    } catch (error) {
      throw new BadSigningKey(`HOLDFAST_BUNDLE_SIGNER_PUBLIC cannot be used: ${errorMessage(error)}.`);
    }
    this.public = raw;
    this.kid = keyId(raw);
  }

  async sign(bytes: Uint8Array): Promise<Buffer> {
    const output = (await run(this.command, bytes)).trim();
    if (!SIGNATURE.test(output)) throw bad('it printed no signature: 64 bytes in base64url, 86 characters');
    const signature = Buffer.from(output, 'base64url');
    if (!verify(null, bytes, publicKey(this.public), signature))
      throw bad('its output is not a signature made with the key in HOLDFAST_BUNDLE_SIGNER_PUBLIC');
    return signature;
  }
}

function bad(what: string): BadSigningKey {
  return new BadSigningKey(`The signer of bundles (HOLDFAST_BUNDLE_SIGNER) failed: ${what}.`);
}

/** @returns what the command printed. Its standard error goes to ours. */
function run(command: string, input: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'], timeout: SIGN_WITHIN });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length <= MOST_OUTPUT) output += text;
    });
    child.stdin.on('error', () => undefined); // it may answer without reading all
    child.on('error', (error) => reject(bad(error.message)));
    child.on('close', (code, signal) =>
      code === 0
        ? resolve(output)
        : reject(
            bad(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}; it has ${SIGN_WITHIN / 1000} s`),
          ),
    );
    child.stdin.end(input);
  });
}

// Makes the signed texts of decisions and starts.

/** Longest validity of a signed text, seconds. */
export const LONGEST_S = 24 * 3600;

export type IssuanceClaimName = 'v' | 'iat' | 'exp' | 'nonce' | 'kid';

/**
 * A signed decision, valid until `until`, and for a day at most. Without `note_hash` it has no note.
 * @param until ISO 8601; null: a day
 */
export function attestDecision(
  key: SigningKey,
  claims: Omit<DecisionClaims, IssuanceClaimName>,
  until: string | null,
  nowMs = Date.now(),
): string {
  const v = claims.deputyship === undefined ? ('holdfast.decision/3' as const) : ('holdfast.decision/5' as const);
  const whole = { note_hash: null, ...claims, v };
  return key.token({ ...whole, ...issuanceClaims(key, nowMs, until) } satisfies DecisionClaims);
}

/** The claims of a decision for a passkey to sign, valid as long as one by a key. */
export function claimsForPasskey(
  claims: Omit<DecisionClaims, IssuanceClaimName>,
  { kid, enrolment }: { kid: string; enrolment: string },
  until: string | null,
  nowMs = Date.now(),
): DecisionClaims {
  const v = claims.deputyship === undefined ? 'holdfast.decision/4' : 'holdfast.decision/6';
  return { note_hash: null, ...claims, v, enrolment, ...issuanceClaims({ kid }, nowMs, until) };
}

/** The signed start of a turn, valid for a day. */
export function attestStart(key: SigningKey, claims: Omit<StartClaims, IssuanceClaimName>, nowMs = Date.now()): string {
  return key.token({ v: 'holdfast.start/1', ...claims, ...issuanceClaims(key, nowMs, null) } satisfies StartClaims);
}

function issuanceClaims(
  { kid }: Pick<SigningKey, 'kid'>,
  nowMs: number,
  until: string | null,
): { iat: number; exp: number; nonce: string; kid: string } {
  const iat = Math.floor(nowMs / 1000);
  const expiry = until === null ? Infinity : Math.ceil(Date.parse(until) / 1000);
  return { iat, exp: Math.min(Math.max(expiry, iat + 1), iat + LONGEST_S), nonce: randomBytes(16).toString('base64url'), kid };
}
