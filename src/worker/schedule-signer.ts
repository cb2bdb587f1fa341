/** Signs the starts of the app's schedules as this worker. */
import type { StartToSign } from '../activities/ports';
import { attestStart } from '../attestation/bundle-signer';
import { SigningKey } from '../attestation/signing-key';

/** @param file of the private key; null: there is none. A function is asked at each firing */
export function scheduleSigner(
  file: string | null | (() => string | null),
  namespace: string,
): ((start: StartToSign) => Promise<string | undefined>) | null {
  if (!file) return null;
  return async ({ workflow_id, ...claims }) => {
    const path = typeof file === 'function' ? file() : file;
    if (path === null) return undefined;
    return attestStart(await SigningKey.read(path), { aud: { namespace, workflow_id }, ...claims });
  };
}
