/** Signs the starts of the app's schedules as this worker. */
import type { StartToSign } from '../activities/ports';
import { attestStart } from '../attestation/bundle-signer';
import { SigningKey } from '../attestation/signing-key';

/** File of the private key; null: there is none. The function is asked at each firing. */
export type SigningKeyFile = string | null | (() => string | null);

export function scheduleSigner(
  file: SigningKeyFile,
  namespace: string,
): ((start: StartToSign) => Promise<string | undefined>) | null {
  if (!file) return null;
  return async ({ workflow_id, ...claims }) => {
    const path = typeof file === 'function' ? file() : file;
    if (path === null) return undefined;
    return attestStart(await SigningKey.read(path), { aud: { namespace, workflow_id }, ...claims });
  };
}
