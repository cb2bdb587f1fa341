/** Puts files into the store under their owner, and reads them. A file of another owner cannot be told from one that does not exist. */
import { sha256Hex } from '../shared/json/sha256';
import type { FilePart } from '../shared/turn/message';
import { FILE_BYTES_VERSION, FILE_VERSION, filePart, readFileBody, readFileBytes, type FileBody } from '../record/stored-file';
import { StoreError, type Store } from '../store/store';
import { checkFile } from './kind-of';
import { safeFilename } from '../shared/text/visible';

type FileStore = Pick<Store, 'putPart' | 'getPart' | 'getSealedPart'>;

export interface NewFile {
  bytes: Uint8Array;
  name?: string;
  /** What the sender says that it is. It is compared with the content. */
  mediaType?: string;
}

/** What the store has of a file. */
export type StoredFile = FilePart & Pick<FileBody, 'sha256'>;

/** The content of a file is not what is taken. */
export class BadFile extends Error {
  override readonly name = 'BadFile';
}

/** The same file of the same owner is the same part. @throws BadFile with what is wrong */
export async function putFile(store: FileStore, owner: string, { bytes, name, mediaType }: NewFile): Promise<StoredFile> {
  const check = checkFile(bytes, mediaType);
  const plainName = safeFilename(name ?? 'file');
  if (!check.ok) throw new BadFile(`The file ${plainName} is not taken: ${check.reason}.`);
  const scope = `files/${owner}`;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const bytesRef = await store.putPart(scope, { v: FILE_BYTES_VERSION, data });
  const body: FileBody = {
    v: FILE_VERSION,
    owner,
    name: plainName,
    media_type: check.media_type,
    size: bytes.byteLength,
    sha256: sha256Hex(bytes),
    bytes: bytesRef,
  };
  return { ...filePart(await store.putPart(scope, body), body), sha256: body.sha256 };
}

/** Null: there is no file of this reference; it may name something else. @throws the error of a store that cannot be read now */
export async function findFile(store: FileStore, ref: string): Promise<FileBody | null> {
  try {
    return readFileBody(await store.getPart(ref));
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** The bytes of a file, compared with what its part says; null: the store does not have them any more. @throws StoreError */
export async function fileBytes(store: FileStore, { bytes: ref, sha256, size }: FileBody): Promise<Buffer | null> {
  try {
    // Not from the cache of parts: a large file would push out everything else.
    const bytes = readFileBytes((await store.getSealedPart(ref)).body);
    if (bytes !== null && bytes.length === size && sha256Hex(bytes) === sha256) return bytes;
    throw new StoreError('damaged', `The bytes of part ${ref} are not those of the file that names them`);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Why a message may not name this file for its owner; null: it may. The message's facts must be those of the store. */
export async function foreignFault(store: FileStore, owner: string, part: FilePart): Promise<string | null> {
  const body = await findFile(store, part.file);
  if (body === null || body.owner !== owner) return `There is no file ${part.file} of yours.`;
  const { type, name, media_type, size } = filePart(part.file, body);
  const isSame = part.type === type && part.name === name && part.media_type === media_type && part.size === size;
  return isSame ? null : `The message says something else of file ${part.file} than the store.`;
}
