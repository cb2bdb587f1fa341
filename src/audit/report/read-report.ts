/** Reads a bundle for a report: its content, and the verifier's result. */
import type { TrustEntry } from '../../attestation/trusted-keys';
import { readCaseFile } from '../case-file';
import { verifyBundle, type Verification } from '../verify';
import type { ReportInput } from './index';
import { summarizeVerification } from './verification';

export interface ReadReport extends ReportInput {
  verification: NonNullable<ReportInput['verification']>;
  result: Verification;
}

/**
 * Reads the bundle twice, as a stream. A broken bundle is read up to its fault.
 * @param open opens the bundle from its beginning
 */
export async function readReport(open: () => AsyncIterable<Uint8Array>, trust: readonly TrustEntry[]): Promise<ReadReport> {
  const result = await verifyBundle(open(), trust);
  const file = await readCaseFile(open(), result.signatures);
  return { file, result, verification: summarizeVerification(result) };
}
