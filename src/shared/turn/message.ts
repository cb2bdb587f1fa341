/**
 * A message to a turn: a text, or parts. A file is named by its reference in the store, with the facts that people see; its bytes are
 * never in a message, so they are neither in history nor in the state of a workflow.
 */
import { isHash } from '../json/sha256';
import { isJsonObject, type Json } from '../json/json';

export type Message = string | MessagePart[];
export type MessagePart = TextPart | FilePart;
export type TextPart = { type: 'text'; text: string };
export type FilePart = {
  type: FileKind;
  /** 64 hex: the part of the store that describes the file. */
  file: string;
  name: string;
  media_type: string;
  /** Bytes. */
  size: number;
};

/** What a file is to a model. */
export type FileKind = 'image' | 'document';

/** Most characters of the texts of one message. */
export const MAX_MESSAGE = 100_000;
export const MOST_PARTS = 40;
export const MOST_FILES = 20;
/** Largest file, and all files of one message together: 32 MB, of 2^20 bytes each. */
export const MOST_FILE_BYTES = 32 * 1024 * 1024;
/** All files that are in a message itself, as base64: bytes, 10^6. */
export const INLINE_FILE_BYTES = 1_000_000;
/** Characters of a file's name. */
export const LONGEST_NAME = 120;

/** The media types that are taken, each with what it is to a model. */
export const MEDIA_TYPES: Readonly<Record<string, FileKind>> = {
  'image/png': 'image',
  'image/jpeg': 'image',
  'image/gif': 'image',
  'image/webp': 'image',
  'application/pdf': 'document',
  'text/plain': 'document',
};

/** The message as text for people: files are named where they stand. */
export function messageText(message: Message): string {
  return typeof message === 'string' ? message : message.map(partText).join('\n');
}

function partText(part: MessagePart): string {
  return part.type === 'text' ? part.text : fileNote(part);
}

/** A file in words: `[image photo.png, image/png, 12345 bytes]`. */
export function fileNote({ type, name, media_type, size }: FilePart): string {
  return `[${type} ${name}, ${media_type}, ${size} bytes]`;
}

/** The content of the message that begins a turn. */
export function contentOf(message: Message): MessagePart[] {
  return typeof message === 'string' ? [{ type: 'text', text: message }] : message;
}

export function filesIn(message: Message): FilePart[] {
  return typeof message === 'string' ? [] : message.filter((part) => part.type !== 'text');
}

/** Whether a value is a file as a message names it. What it names must still be checked. */
export function isFilePart(value: Json | undefined): value is FilePart {
  if (!isJsonObject(value ?? null)) return false;
  const { type, file, name, media_type, size, ...others } = value as Record<string, Json>;
  return (
    isHash(file) &&
    typeof name === 'string' &&
    name !== '' &&
    name.length <= LONGEST_NAME &&
    name.isWellFormed() &&
    typeof media_type === 'string' &&
    Object.hasOwn(MEDIA_TYPES, media_type) &&
    MEDIA_TYPES[media_type] === type &&
    typeof size === 'number' &&
    Number.isInteger(size) &&
    size > 0 &&
    size <= MOST_FILE_BYTES &&
    Object.keys(others).length === 0
  );
}

/** Why a value is no message; null: it is one. The words stand after the name of the field. */
export function messageFault(value: Json | undefined): string | null {
  if (!Array.isArray(value)) return isText(value, MAX_MESSAGE) ? null : TEXT_FAULT;
  if (value.length === 0 || value.length > MOST_PARTS) return `must have 1 to ${MOST_PARTS} parts`;
  for (const [index, part] of value.entries())
    if (!isTextPart(part) && !isFilePart(part)) return `has a part (number ${index + 1}) that is neither a text nor a file`;
  return partsFault(value as MessagePart[]);
}

const TEXT_FAULT = `must be 1 to ${MAX_MESSAGE} characters of well-formed Unicode`;

function partsFault(parts: MessagePart[]): string | null {
  const characters = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
  if (characters > MAX_MESSAGE) return `has ${characters} characters of text; ${MAX_MESSAGE} are allowed`;
  const files = filesIn(parts);
  if (files.length > MOST_FILES) return `has ${files.length} files; ${MOST_FILES} are allowed`;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > MOST_FILE_BYTES ? `has files of ${bytes} bytes together; ${MOST_FILE_BYTES} (32 MB) are allowed` : null;
}

function isTextPart(part: Json): part is TextPart {
  if (!isJsonObject(part) || part.type !== 'text') return false;
  return Object.keys(part).length === 2 && isText(part.text, MAX_MESSAGE);
}

function isText(value: Json | undefined, longest: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longest && value.isWellFormed();
}
