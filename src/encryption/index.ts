/** What other rooms load, and only where keys are set. */
import { EncryptionCodec } from './payload-codec';
import { Keys, type CodecKeys } from './key-source';

export { Keys } from './key-source';

/** @throws BadKeyRing */
export async function openCodec(keys: CodecKeys, namespace: string): Promise<EncryptionCodec> {
  return new EncryptionCodec(await Keys.open(keys), namespace);
}
