/** Files that are encrypted to an auditor's key, as the program `age` reads and writes them. */
import { Readable } from 'node:stream';
import { PackageMissing } from '../optional-package';

type Age = typeof import('age-encryption', { with: { 'resolution-mode': 'import' } });

/** A recipient or identity that cannot be used, or a file that it does not open. */
export class BadAgeKey extends Error {
  override readonly name = 'BadAgeKey';
}

/** @param recipients `age1…`. @throws BadAgeKey, PackageMissing */
export async function encrypterFor(
  recipients: readonly string[],
): Promise<(chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>> {
  const { Encrypter } = await age();
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new BadAgeKey(
        `${JSON.stringify(recipient.slice(0, 100))} is no recipient of age: that is the line "age1…" that age-keygen prints.`,
      );
    }
  }
  return async function* (chunks) {
    yield* chunksOf(await encrypter.encrypt(streamOf(chunks)));
  };
}

/**
 * @param identities the text of a file as age-keygen writes it: lines `AGE-SECRET-KEY-1…`, empty ones and comments
 * @throws BadAgeKey, PackageMissing
 */
export async function decrypterWith(
  identities: string,
): Promise<(chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>> {
  const { Decrypter } = await age();
  const decrypter = new Decrypter();
  const lines = identities.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0) throw new BadAgeKey('The file of the identity has no line "AGE-SECRET-KEY-1…".');
  for (const key of keys) {
    try {
      decrypter.addIdentity(key);
    } catch {
      throw new BadAgeKey('The file of the identity has a line that is no identity of age.'); // the line may be a key: it is not shown
    }
  }
  return async function* (chunks) {
    const plain = await decrypter.decrypt(streamOf(chunks)).catch((error: Error) => {
      throw new BadAgeKey(`It is not encrypted to this identity, or it is damaged: ${error.message}.`);
    });
    yield* chunksOf(plain);
  };
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>;
}

/** The types of streams of browsers have no iterator; those of Node have. */
function chunksOf(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return stream as unknown as AsyncIterable<Uint8Array>;
}

async function age(): Promise<Age> {
  return import('age-encryption').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND')
      throw new PackageMissing('age-encryption', 'Encryption to an auditor’s key');
    throw error;
  });
}
