/**
 * The one place for Temporal's data converter: worker, client, replay and bundle all use it. A codec must give back unchanged, or as
 * refused, what it cannot decode: one that throws on a foreign payload blocks the workflow that received it.
 */
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { isEncrypted, NoCodecKeys } from '../shared/wire/payload';

/** Everything is plain. Also for histories that were decrypted when they were read (decrypt.ts). */
export const dataConverter: DataConverter = {};

/** @param codec null: payloads are plain */
export function dataConverterOf(codec: PayloadCodec | null): DataConverter {
  if (codec === null) return dataConverter;
  // The path of a module, as the SDK wants it: the text of a failure must be a payload before the codec can encrypt it.
  return { payloadCodecs: [codec], failureConverterPath: require.resolve('../encryption/failure-converter') };
}

/** For a client without keys, which otherwise would only hear of an unknown encoding. */
export const NO_KEYS: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => {
    if (payloads.some(isEncrypted)) throw new NoCodecKeys();
    return payloads;
  },
};
