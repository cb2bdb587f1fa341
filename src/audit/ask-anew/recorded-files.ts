/** The files of a recorded conversation, with their bytes from the bundle: blocks name them by reference only. */
import type { ModelMessage } from '../../model/provider';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { isFilePart, type FilePart } from '../../shared/turn/message';
import type { FileCase } from '../case-file/types';
import { CannotAskError } from './types';

/** @throws CannotAskError for a file that was left out of the bundle */
export function withRecordedFiles(messages: readonly ModelMessage[], files: readonly FileCase[]): ModelMessage[] {
  const bytes = new Map(files.map((file) => [file.file, file.bytes]));
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: message.content.map((block) => withBytes(block, bytes)) } : message,
  );
}

function withBytes(block: JsonObject, bytes: ReadonlyMap<string, Buffer | null>): JsonObject {
  if (isFilePart(block)) return fileBlock(block, bytes.get(block.file) ?? null);
  const { type, content } = block;
  if (type !== 'tool_result' || !Array.isArray(content)) return block;
  return { ...block, content: content.map((one) => (isJsonObject(one) ? withBytes(one, bytes) : one)) };
}

function fileBlock({ type, name: title, media_type }: FilePart, bytes: Buffer | null): JsonObject {
  if (bytes === null)
    throw new CannotAskError(`The file ${title} was left out of the bundle, so that the turn cannot be asked with it.`);
  if (media_type === 'text/plain')
    return { type, source: { type: 'text', media_type, data: bytes.toString('utf8').toWellFormed() }, title };
  const source = { type: 'base64', media_type, data: bytes.toString('base64') };
  return type === 'image' ? { type, source } : { type, source, title };
}
