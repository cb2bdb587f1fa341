/** What other rooms load, and only where keys are set. */
import { EncryptionCodec } from './payload-codec';
import { Keys, type CodecKeys } from './key-source';

export { Keys } from './key-source';

/** The ring of a long-running process: what keeps it from being read again is logged. @throws BadKeyRing */
export function openKeys(source: CodecKeys, log: { error(facts: object, message: string): void }): Promise<Keys> {
  const todo = 'The ring that was read last is used meanwhile: its key writes. Mend this before you rotate or remove keys.';
  return Keys.open(source, { onFault: (reason) => log.error({ reason, todo }, 'the key ring cannot be read again') });
}

/** @throws BadKeyRing */
export async function openCodec(keys: CodecKeys, namespace: string): Promise<EncryptionCodec> {
  return new EncryptionCodec(await Keys.open(keys), namespace);
}
