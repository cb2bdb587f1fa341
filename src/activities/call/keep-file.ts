/** A tool's file on its way into the store, and what stands for it in the result. */
import type { TurnContext } from '../../shared/activity-io';
import { presignature, PRESIGNED_SECONDS, type StoredFile } from '../../store/core/presign';
import { INLINE_FILE_BYTES, type BinaryFile, type FileResult } from '../../tools/results/binary';
import type { Dependencies } from '../ports';

type Needs = Pick<Dependencies, 'store' | 'publicUrl'>;

/** Small ones come along as base64, others by address. */
export async function keepFile(deps: Needs, turn: TurnContext, callId: string, kept: BinaryFile): Promise<FileResult> {
  const { bytes } = kept;
  if (bytes.byteLength >= INLINE_FILE_BYTES) return keepAddressed(deps, turn, callId, kept);
  const content_base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { ...(await store(deps, turn, callId, kept)), content_base64 };
}

/** By address, whatever its size. */
export async function keepAddressed(deps: Needs, turn: TurnContext, callId: string, kept: BinaryFile): Promise<FileResult> {
  const stored = await store(deps, turn, callId, kept);
  return { ...stored, ...presigned(deps, stored.ref) };
}

async function store(
  deps: Needs,
  turn: TurnContext,
  callId: string,
  { filename, contentType, bytes }: BinaryFile,
): Promise<StoredFile & { ref: string }> {
  const sha256 = await deps.store.putBytes(bytes);
  const file = { filename, content_type: contentType, size: bytes.byteLength, sha256 };
  const ref = await deps.store.putPart(turn.first_execution_run_id, { turn_id: turn.turn_id, call_id: callId, file });
  return { ...file, ref };
}

/** An address that is good for an hour. */
export function presigned({ store, publicUrl }: Needs, ref: string): { url: string; expires_at: string } {
  const expires = Math.floor(Date.now() / 1000) + PRESIGNED_SECONDS;
  const signature = presignature(store.derivedKey('presign'), ref, expires);
  return {
    url: `${publicUrl}/v1/blocks/${ref}?expires=${expires}&signature=${signature}`,
    expires_at: new Date(expires * 1000).toISOString(),
  };
}
