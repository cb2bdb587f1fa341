/**
 * Files of a direct call's result, below 1 MB each, come along in the answer as base64. History, which has less room, has their
 * addresses. Only what an address of ours names is read, by its signature: a tool can return whatever looks like a file.
 */
import type { Envelope } from '../shared/wire/envelope';
import { checkPresigned, storedFile } from '../store/core/presign';
import { StoreError, type Store } from '../store/store';
import { filesIn, INLINE_FILE_BYTES, withContents, type FileResult } from '../tools/results/binary';

/** Bytes of all files of one answer: more are left to be fetched. */
const MOST_BYTES = 8_000_000;

export async function withFilesCarried(store: Store, envelope: Envelope): Promise<Envelope> {
  if (!envelope.success) return envelope;
  const contents = new Map<string, string>();
  let bytes = 0;
  for (const file of filesIn(envelope.data)) {
    const content = contents.has(file.ref) ? null : await contentOf(store, file, MOST_BYTES - bytes);
    if (content === null) continue;
    bytes += content.byteLength;
    contents.set(file.ref, Buffer.from(content).toString('base64'));
  }
  return contents.size === 0 ? envelope : { ...envelope, data: withContents(envelope.data, contents) };
}

/** Null: it is not ours, too large, or not there any more; its address says so to whoever asks. */
async function contentOf(store: Store, file: FileResult, room: number): Promise<Uint8Array | null> {
  if (!('url' in file) || !URL.canParse(file.url)) return null;
  const { searchParams } = new URL(file.url);
  const given = { ref: file.ref, expires: searchParams.get('expires') ?? '', signature: searchParams.get('signature') ?? '' };
  if (checkPresigned(store.derivedKey('presign'), given, Date.now()) !== 'good') return null;
  try {
    const stored = storedFile(await store.getPart(file.ref));
    if (stored === null || !(stored.size < INLINE_FILE_BYTES) || stored.size > room) return null;
    return await store.getBytes(stored.sha256);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not_found') return null;
    throw error;
  }
}
