/** Options of commands that read bundles encrypted to a key of age. */
import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../shared/text/error-message';
import { UsageError } from './exit';

/** Decrypts a bundle while it is read. */
export type Decrypt = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** @throws UsageError for a file that cannot be read; BadAgeKey, PackageMissing */
export async function decryptBy(identityFile: string): Promise<Decrypt> {
  const { decrypterWith } = await import('../../encryption/age.js');
  const text = await readFile(identityFile, 'utf8').catch((error: unknown) => {
    throw new UsageError(`The identity ${identityFile} cannot be read: ${errorMessage(error)}`);
  });
  return decrypterWith(text);
}
