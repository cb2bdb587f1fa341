/**
 * Files of messages and of tools' results, as parts of the store: one part describes the file and names its owner, another one holds
 * its bytes. Both are salted like every part, so a bundle can leave them out and keep their hashes, and nobody can find out from a
 * hash whether somebody else has the same file.
 */
import { isHash } from '../shared/json/sha256';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { isFilePart, MEDIA_TYPES, type FilePart } from '../shared/turn/message';

export const FILE_VERSION = 'holdfast.file/1';
export const FILE_BYTES_VERSION = 'holdfast.file-bytes/1';

/** The part that a message names. */
export type FileBody = {
  v: typeof FILE_VERSION;
  /** The principal who sent it, or whose turn made it. */
  owner: string;
  name: string;
  media_type: string;
  size: number;
  /** SHA-256 of the bytes, hex: to compare with the file at hand. */
  sha256: string;
  /** The part with the bytes. */
  bytes: string;
};

export type FileBytesBody = {
  v: typeof FILE_BYTES_VERSION;
  /** Base64. */
  data: string;
};

/** Null: the part is something else. */
export function readFileBody(body: Json): FileBody | null {
  if (!isJsonObject(body) || body.v !== FILE_VERSION) return null;
  const { owner, name, media_type, size, sha256, bytes } = body;
  const isWhole =
    [owner, name, media_type].every((field) => typeof field === 'string') &&
    typeof size === 'number' &&
    isHash(sha256) &&
    isHash(bytes) &&
    Object.hasOwn(MEDIA_TYPES, String(media_type));
  return isWhole ? (body as FileBody) : null;
}

/** Null: the part is something else. */
export function readFileBytes(body: Json): Buffer | null {
  if (!isJsonObject(body) || body.v !== FILE_BYTES_VERSION || typeof body.data !== 'string') return null;
  return Buffer.from(body.data, 'base64');
}

/** What a message says of a file. @param file its reference */
export function filePart(file: string, { name, media_type, size }: FileBody): FilePart {
  return { type: MEDIA_TYPES[media_type]!, file, name, media_type, size };
}

/** The files in a message's content, those in results of tools included, in order. Only a user's message has any. */
export function filesInContent(content: readonly JsonObject[]): FilePart[] {
  return content.flatMap((block): FilePart[] => {
    if (isFilePart(block)) return [block];
    return block.type === 'tool_result' && Array.isArray(block.content) ? block.content.filter(isFilePart) : [];
  });
}
