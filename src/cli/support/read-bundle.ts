/** A bundle file, read for a report: what is in it, and what the verifier says of it. */
import { createReadStream } from 'node:fs';
import { readTrustedKeys, type TrustedKey } from '../../attestation/trusted-keys';
import { readCaseFile } from '../../audit/case-file';
import { summarizeVerification, type ReportInput } from '../../audit/report';
import { verifyBundle, type Verification } from '../../audit/verify';
import { loadConfig } from '../../config';
import { UsageError } from './exit';

export interface ReadBundle extends ReportInput {
  verification: NonNullable<ReportInput['verification']>;
  result: Verification;
}

/**
 * Reads the file twice, as a stream. A broken bundle is read as far as it goes.
 * @throws UsageError for a file that cannot be read, or does not even begin like a bundle
 */
export async function readBundle(path: string, trust: readonly TrustedKey[]): Promise<ReadBundle> {
  try {
    const result = await verifyBundle(createReadStream(path), trust);
    const file = await readCaseFile(createReadStream(path), result.signatures);
    if (file.bundle === null) throw new UsageError(`${path} is no audit bundle: ${file.fault?.reason ?? 'it is empty'}.`);
    return { file, result, verification: summarizeVerification(result) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new UsageError(`${path} cannot be read: ${message}`);
    throw error;
  }
}

/** Those that this installation trusts itself; none where it has no such file: then the signer is unknown. */
export async function ownKeys({ trustedKeys } = loadConfig()): Promise<TrustedKey[]> {
  return readTrustedKeys(trustedKeys).catch(() => []);
}
