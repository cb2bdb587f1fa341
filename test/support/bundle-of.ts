/** The bundle of a turn or a direct call, by the export itself. */
import type { Client } from '@temporalio/client';
import { ofKey } from '../../src/attestation/bundle-signer';
import type { SigningKey } from '../../src/attestation/signing-key';
import { exportBundle } from '../../src/audit/export/bundle';
import type { Store } from '../../src/store/store';

export async function bundleOf(temporal: Client, store: Store, id: string, key: SigningKey): Promise<string> {
  let text = '';
  for await (const line of exportBundle({ temporal, store, subject: { kind: 'turn', id }, signer: ofKey(key) })) text += line;
  return text;
}
