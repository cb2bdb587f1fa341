/**
 * A private key for signatures, from a PKCS8 PEM file that only its owner may read. The key leaves its object only through `save`.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Json } from '../shared/json/json';
import { createFile } from '../store/files/atomic-file';
import { LONGEST_TOKEN, signedBytes, writeToken } from './claims';
import { keyId, rawPublic } from './public-key';

export class BadSigningKey extends Error {
  override readonly name = 'BadSigningKey';
}

export class SigningKey {
  /** The public half: the raw 32 bytes, base64url. */
  readonly public: string;
  readonly kid: string;
  readonly #key: KeyObject;

  private constructor(key: KeyObject) {
    this.#key = key;
    this.public = rawPublic(createPublicKey(key));
    this.kid = keyId(this.public);
  }

  /** A new key, in memory. */
  static generate(): SigningKey {
    return new SigningKey(generateKeyPairSync('ed25519').privateKey);
  }

  /** @throws BadSigningKey for a file that cannot be read, that others may read, or that is no Ed25519 key in PKCS8 PEM */
  static async read(path: string): Promise<SigningKey> {
    const bad = (what: string) => new BadSigningKey(`The signing key ${path} cannot be used: ${what}.`);
    const mode = await stat(path).then(
      (info) => info.mode,
      (error: NodeJS.ErrnoException) => {
        throw bad(
          error.code === 'ENOENT' ? 'there is no such file; `holdfast keys create` makes one' : (error.code ?? error.message),
        );
      },
    );
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw bad(`others may read it; run chmod 600 ${path}`);
    return new SigningKey(ed25519(await readFile(path), bad));
  }

  /** @throws BadSigningKey. @param name source of the text, for the error */
  static ofPem(pem: string, name: string): SigningKey {
    return new SigningKey(ed25519(pem, (what) => new BadSigningKey(`The signing key ${name} cannot be used: ${what}.`)));
  }

  /** An Ed25519 signature over the bytes. */
  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.#key);
  }

  /** Writes the key, mode 0600. @returns false if the file existed; it is unchanged */
  async save(path: string): Promise<boolean> {
    const folder = dirname(resolve(path));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return createFile(folder, resolve(path), Buffer.from(this.#key.export({ format: 'pem', type: 'pkcs8' })));
  }

  /** The claims as a signed text. @throws RangeError if it is longer than a decision may carry */
  token(claims: object): string {
    const token = writeToken(claims as Json, sign(null, signedBytes(claims as Json), this.#key));
    if (token.length > LONGEST_TOKEN)
      throw new RangeError(`A signed decision of ${token.length} characters is too long: fewer roles, a shorter name`);
    return token;
  }
}

function ed25519(pem: string | Buffer, bad: (what: string) => BadSigningKey): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw bad('it is not a private key in PKCS8 PEM');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw bad(`it is a key of type ${key.asymmetricKeyType}; it must be Ed25519`);
  return key;
}
