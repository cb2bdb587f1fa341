/** Turns what a client sent into the message that the workflow carries: files in it go into the store, and each is named by reference. */
import type { InputPart, MessageInput } from '../shapes/message';
import { INLINE_FILE_BYTES, messageFault, type FilePart, type Message, type MessagePart } from '../shared/turn/message';
import type { Store } from '../store/store';
import { filePart } from '../record/stored-file';
import { BadFile, findFile, putFile } from './stored-files';

/** A message names a file that its sender does not have. */
export class UnknownFile extends Error {
  override readonly name = 'UnknownFile';
}

type FileStore = Pick<Store, 'putPart' | 'getPart' | 'getSealedPart'>;

/**
 * @param owner who sends the message: all its files are this principal's
 * @throws BadFile for a file or a message that is not taken; UnknownFile
 */
export async function storedMessage(store: FileStore, owner: string, input: MessageInput): Promise<Message> {
  if (typeof input === 'string') return input;
  if (!input.every(isInputPart)) throw new BadFile('The message has a part that is neither a text nor a file.');
  const inline = input.reduce((sum, part) => sum + ('data' in part ? bytesIn(part.data) : 0), 0);
  if (inline > INLINE_FILE_BYTES)
    throw new BadFile(
      `The message has files of ${inline} bytes in it; ${INLINE_FILE_BYTES} are allowed. Larger ones go through POST /v1/files.`,
    );
  const parts: MessagePart[] = [];
  for (const part of input) parts.push(await storedPart(store, owner, part));
  const [only] = parts;
  const message = parts.length === 1 && only!.type === 'text' ? only!.text : parts;
  const fault = messageFault(message);
  if (fault !== null) throw new BadFile(`The message ${fault}.`);
  return message;
}

async function storedPart(store: FileStore, owner: string, part: InputPart): Promise<MessagePart> {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const file = 'data' in part ? await inlineFile(store, owner, part) : await ownFile(store, owner, part.file);
  if (file.type === part.type) return file;
  throw new BadFile(`The file ${file.name} is ${file.media_type}: name it as "${file.type}", not as "${part.type}".`);
}

async function inlineFile(
  store: FileStore,
  owner: string,
  { type, data, name, media_type }: Extract<InputPart, { data: string }>,
): Promise<FilePart> {
  const bytes = Buffer.from(data, 'base64');
  const mediaType = media_type === undefined ? {} : { mediaType: media_type };
  const { sha256: _, ...file } = await putFile(store, owner, { bytes, name: name ?? type, ...mediaType });
  return file;
}

async function ownFile(store: FileStore, owner: string, ref: string): Promise<FilePart> {
  const body = await findFile(store, ref);
  if (body === null || body.owner !== owner) throw new UnknownFile(`There is no file ${ref} of yours.`);
  return filePart(ref, body);
}

/** Callers in JavaScript may give anything. */
function isInputPart(part: InputPart): boolean {
  const { type, text, file, data } = (part ?? {}) as Partial<Record<string, unknown>>;
  if (type === 'text') return typeof text === 'string';
  return (type === 'image' || type === 'document') && (typeof data === 'string') !== (typeof file === 'string');
}

/** Of base64, with or without padding. */
function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
