/**
 * Seals bytes: AES-256-GCM, with a key that HKDF derives from the ring's key for this use alone, so that what is sealed for one
 * workflow or store opens in no other. Large plaintexts are compressed first.
 *
 *     form (1 byte: 1 as it is, 2 deflated) · salt (16) · nonce (12) · ciphertext · tag (16)
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

/** Sealed bytes that were changed, or that are for another use. */
export class BadSeal extends Error {
  override readonly name = 'BadSeal';
}

const PLAIN_FORM = 1;
const DEFLATED_FORM = 2;
const SALT = 16;
const NONCE = 12;
const TAG = 16;
const HEAD = 1 + SALT + NONCE;
/** Bytes from which on compression is tried. */
const LARGE = 2048;
/** Largest plaintext that is compressed; what unfolds to more is refused when it is read. */
const MOST = 64 * 1024 * 1024;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/**
 * @param key of the ring, 32 bytes
 * @param use what the bytes are for; they can be opened for exactly this use only
 * @param same the place of the bytes. If given, the same bytes at the same place give the same result: for a store, in which an object
 * that is stored again must not change. Absent: salt and nonce are random
 */
export async function seal(key: Buffer, use: string, plain: Uint8Array, same?: Uint8Array): Promise<Buffer> {
  const small = plain.length >= LARGE && plain.length <= MOST ? await deflate(plain) : null;
  return small !== null && small.length < plain.length * 0.9
    ? encrypt(key, use, DEFLATED_FORM, small, same)
    : encrypt(key, use, PLAIN_FORM, plain, same);
}

/** The same at once, without compression. */
export function sealNow(key: Buffer, use: string, plain: Uint8Array): Buffer {
  return encrypt(key, use, PLAIN_FORM, plain);
}

/** @param most bytes that may unfold from compressed ones. @throws BadSeal */
export async function open(key: Buffer, use: string, ciphertext: Uint8Array, most = MOST): Promise<Buffer> {
  const { form, content } = decrypt(key, use, ciphertext);
  if (form === PLAIN_FORM) return content;
  try {
    return await inflate(content, { maxOutputLength: most });
  } catch {
    throw new BadSeal(`it cannot be unfolded within ${most} bytes`);
  }
}

/** The same at once, for what `sealNow` has sealed. @throws BadSeal */
export function openNow(key: Buffer, use: string, ciphertext: Uint8Array): Buffer {
  const { form, content } = decrypt(key, use, ciphertext);
  if (form === PLAIN_FORM) return content;
  throw new BadSeal('it is compressed');
}

function encrypt(key: Buffer, use: string, form: number, content: Uint8Array, same?: Uint8Array): Buffer {
  const random = same === undefined ? randomBytes(SALT + NONCE) : madeOf(key, use, form, content, same);
  const salt = random.subarray(0, SALT);
  const nonce = random.subarray(SALT, SALT + NONCE);
  const cipher = createCipheriv('aes-256-gcm', derivedKey(key, use, salt), nonce);
  cipher.setAAD(additionalData(form, use));
  const body = [cipher.update(content), cipher.final()];
  return Buffer.concat([Buffer.from([form]), salt, nonce, ...body, cipher.getAuthTag()]);
}

function decrypt(key: Buffer, use: string, ciphertext: Uint8Array): { form: number; content: Buffer } {
  const form = ciphertext[0];
  if (ciphertext.length < HEAD + TAG || (form !== PLAIN_FORM && form !== DEFLATED_FORM)) throw new BadSeal('it is damaged');
  const salt = ciphertext.subarray(1, 1 + SALT);
  const cipher = createDecipheriv('aes-256-gcm', derivedKey(key, use, salt), ciphertext.subarray(1 + SALT, HEAD), {
    authTagLength: TAG,
  });
  cipher.setAAD(additionalData(form, use));
  cipher.setAuthTag(ciphertext.subarray(ciphertext.length - TAG));
  try {
    return { form, content: Buffer.concat([cipher.update(ciphertext.subarray(HEAD, ciphertext.length - TAG)), cipher.final()]) };
  } catch {
    throw new BadSeal('it is damaged');
  }
}

function derivedKey(key: Buffer, use: string, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, use, 32));
}

function additionalData(form: number, use: string): Buffer {
  return Buffer.concat([Buffer.from([form]), Buffer.from(use, 'utf8')]);
}

/** Other bytes give another salt, and so another key: also those that another version of the compressor makes of one plaintext. */
function madeOf(key: Buffer, use: string, form: number, content: Uint8Array, same: Uint8Array): Buffer {
  const own = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `${use} salts`, 32));
  const place = createHmac('sha256', own).update(same).digest();
  return createHmac('sha256', own)
    .update(place)
    .update(Buffer.from([form]))
    .update(content)
    .digest()
    .subarray(0, SALT + NONCE);
}
