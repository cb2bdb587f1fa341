/** Reads a bundle file for a report: its content, and the verifier's result. */
import { createReadStream } from 'node:fs';
import { readTrustedKeys, type TrustEntry } from '../../attestation/trusted-keys';
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
 * Reads the file twice, as a stream. A broken bundle is read up to its fault.
 * @throws UsageError for a file that cannot be read, or does not even begin like a bundle
 */
export async function readBundle(path: string, trust: readonly TrustEntry[]): Promise<ReadBundle> {
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

/** The keys that this installation trusts itself; none without the file, and then the signer is unknown. */
export async function ownKeys({ trustedKeys } = loadConfig()): Promise<TrustEntry[]> {
  return readTrustedKeys(trustedKeys).catch(() => []);
}
