/** Reads a bundle file for a report: its content, and the verifier's result. */
import { createReadStream } from 'node:fs';
import { readTrustedKeys, type TrustEntry } from '../../attestation/trusted-keys';
import { readReport, type ReadReport } from '../../audit/report/read-report';
import { loadConfig } from '../../config';
import { UsageError } from './exit';

/** @throws UsageError for a file that cannot be read, or does not even begin like a bundle */
export async function readBundle(path: string, trust: readonly TrustEntry[]): Promise<ReadReport> {
  try {
    const read = await readReport(() => createReadStream(path), trust);
    const { bundle, fault } = read.file;
    if (bundle === null) throw new UsageError(`${path} is no audit bundle: ${fault?.reason ?? 'it is empty'}.`);
    return read;
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
