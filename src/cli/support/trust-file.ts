/** Reads the file of keys that an auditor trusts: `--trust`. */
import { readTrustedKeys, type TrustEntry } from '../../attestation/trusted-keys';
import { UsageError } from './exit';
import { errorMessage } from '../../shared/text/error-message';

/** The keys of the file; none without a path. @throws UsageError */
export async function trustFile(path: string | undefined): Promise<TrustEntry[]> {
  if (path === undefined) return [];
  try {
    return await readTrustedKeys(path);
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}
