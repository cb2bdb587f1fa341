/**
 * Files of a conversation on their way to the model. Blocks name them by reference; the bytes are read for the request alone, and are
 * nowhere else. Only messages of a user's side have files: a reference that a model writes is text.
 */
import type { ModelMessage } from '../model/provider';
import { filesInContent } from '../record/stored-file';
import { isJsonObject, type JsonObject } from '../shared/json/json';
import { fileNote, filesIn, isFilePart, messageFault, MOST_FILES, type FilePart, type Message } from '../shared/turn/message';
import { storedFile } from '../store/core/identity';
import { StoreError, type Store } from '../store/store';
import type { FileResult } from '../tools/results/result-files';
import { BadFile, fileBytes, findFile, foreignFault, putFile } from './stored-files';

/**
 * A workflow may be started by anyone who reaches Temporal, so the message is checked here, whatever a client has checked.
 * @returns why the message is not taken; null: it is
 */
export async function storedMessageFault(store: Store, requester: string, message: Message): Promise<string | null> {
  if (typeof message === 'string') return null;
  const fault = messageFault(message);
  if (fault !== null) return `it ${fault}`;
  const faults = await Promise.all(filesIn(message).map((file) => foreignFault(store, requester, file)));
  return faults.find((one) => one !== null) ?? null;
}

// A request to a model holds the newest files: vendors limit its size, to 32 MB with base64.

const MOST_BYTES_FOR_MODEL = 22 * 1024 * 1024;
const MOST_FILES_FOR_MODEL = 100;
const TOO_MANY = 'was left out to make room: newer files take what a request may hold';
const MISSING = 'is no longer in the store';

/** The messages with the bytes of their files, in the neutral form. */
export async function messagesWithFiles(
  { store, log }: { store: Store; log: { warn(fields: object, message: string): void } },
  messages: readonly ModelMessage[],
): Promise<ModelMessage[]> {
  const files = messages.flatMap(({ role, content }) => (role === 'user' ? filesInContent(content) : []));
  if (files.length === 0) return [...messages];
  const isSent = newestThatFit(files);
  const blocks = new Map<FilePart, JsonObject>();
  for (const file of files) blocks.set(file, isSent.has(file) ? await fileBlock(store, file) : note(file, TOO_MANY));
  const left = [...blocks].filter(([, { type }]) => type === 'text').map(([file]) => file.name);
  if (left.length > 0) log.warn({ files: left.slice(0, 20) }, 'the model does not see files of the conversation');
  const put = (block: JsonObject): JsonObject =>
    isFilePart(block) ? (blocks.get(block) ?? block) : block.type === 'tool_result' ? inResult(block, put) : block;
  return messages.map((message) => (message.role === 'user' ? { ...message, content: message.content.map(put) } : message));
}

function inResult(block: JsonObject, put: (block: JsonObject) => JsonObject): JsonObject {
  const { content } = block;
  return Array.isArray(content) ? { ...block, content: content.map((one) => (isJsonObject(one) ? put(one) : one)) } : block;
}

function newestThatFit(files: readonly FilePart[]): ReadonlySet<FilePart> {
  let room = MOST_BYTES_FOR_MODEL;
  const fitting = [...files].reverse().filter(({ size }, index) => {
    room -= size;
    return room >= 0 && index < MOST_FILES_FOR_MODEL;
  });
  return new Set(fitting);
}

async function fileBlock(store: Store, part: FilePart): Promise<JsonObject> {
  const { type, file, name: title, media_type } = part;
  const body = await findFile(store, file);
  const bytes = body === null ? null : await fileBytes(store, body);
  if (bytes === null) return note(part, MISSING);
  if (media_type === 'text/plain')
    return { type, source: { type: 'text', media_type, data: bytes.toString('utf8').toWellFormed() }, title };
  const source = { type: 'base64', media_type, data: bytes.toString('base64') };
  return type === 'image' ? { type, source } : { type, source, title };
}

function note(part: FilePart, why: string): JsonObject {
  return { type: 'text', text: `${fileNote(part)} ${why}.` };
}

// What a tool shows to the model. The bytes are the tool's own, from its result; a reference counts only if this very call made it.

/** The call whose result is read. */
export interface OfCall {
  requester: string;
  turn_id: string;
  call_id: string;
}

/** The files that the result of a call shows, as blocks of its answer. A file that no model takes is named instead. */
export async function shownFiles(store: Store, of: OfCall, files: readonly FileResult[]): Promise<JsonObject[]> {
  const candidates = files.filter((file) => file.shown === true).slice(0, MOST_FILES);
  const blocks: JsonObject[] = [];
  for (const file of candidates) blocks.push(await shownFile(store, of, file));
  return blocks;
}

async function shownFile(store: Store, of: OfCall, file: FileResult): Promise<JsonObject> {
  const bytes = 'content_base64' in file ? Buffer.from(file.content_base64, 'base64') : await ownBytes(store, of, file);
  if (bytes === null) return { type: 'text', text: `[The file ${file.filename} is no longer in the store.]` };
  try {
    const { sha256: _, ...part } = await putFile(store, of.requester, { bytes, name: file.filename });
    return part;
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    return { type: 'text', text: `[${error.message}]` };
  }
}

/** Null: the store has none that this call made. */
async function ownBytes(store: Store, { turn_id, call_id }: OfCall, { ref }: FileResult): Promise<Buffer | null> {
  try {
    const part = await store.getPart(ref);
    const file = storedFile(part);
    if (file === null || !isJsonObject(part) || part.turn_id !== turn_id || part.call_id !== call_id) return null;
    return await store.getBytes(file.sha256);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not_found') return null;
    throw error;
  }
}
