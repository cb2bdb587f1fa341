/**
 * Files in tool results. A tool puts `binaryFile({…})` anywhere into its result. The runner stores the bytes, and replaces the
 * file by a `FileResult`: with the bytes as base64 if they are few, else with a presigned URL.
 */
import { randomUUID } from 'node:crypto';
import { type Json, type JsonObject, isJsonObject } from '../../shared/json/json';
import { safeFilename } from '../../shared/text/visible';
import { ToolError } from '../define/errors';
import { checkFile } from '../../files/kind-of';
import type { FileKind } from '../../shared/turn/message';
import { toJson, type AsJson } from './to-json';
import { optional } from '../../shared/json/optional';

/** A file of this size or more is not inline in the result: 1 MB, as 10^6 bytes. */
export const INLINE_FILE_BYTES = 1_000_000;
/** Largest file: a file is in memory as a whole. 64 MB, of 2^20 bytes each. */
export const MOST_FILE_BYTES = 64 * 1024 * 1024;

export interface BinaryFile {
  /** The name for downloads; characters that do not belong into a plain file name are replaced. */
  filename: string;
  /** `type/subtype`, optionally with parameters. */
  contentType: string;
  bytes: Uint8Array;
  /** The model sees the file itself: an image, a PDF or a text (`content`). Default false: it sees name, type and size. */
  shown?: boolean;
}

/** The JSON that represents a file in a result. */
export type FileResult = {
  filename: string;
  content_type: string;
  size: number;
  /** SHA-256 of the bytes, hex. */
  sha256: string;
  /** Reference of the file in the store. */
  ref: string;
  /** The model sees the file itself. */
  shown?: true;
} & ({ content_base64: string } | { url: string; expires_at: string });

const FILE = Symbol.for('holdfast.binary_file');

/**
 * Makes a file for a tool's result.
 * @throws ToolError `file_too_large` above 64 MB; TypeError for an invalid content type, or bytes that are no Uint8Array
 */
export function binaryFile({ filename, contentType, bytes, shown = false }: BinaryFile): BinaryFile {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('binaryFile: "bytes" must be a Uint8Array or a Buffer.');
  if (bytes.byteLength > MOST_FILE_BYTES)
    throw new ToolError(
      'EXECUTION_ERROR',
      'file_too_large',
      `The file ${safeFilename(filename)} has ${bytes.byteLength} bytes; ${MOST_FILE_BYTES} (64 MB) are allowed.`,
    );
  if (typeof contentType !== 'string' || !CONTENT_TYPE.test(contentType))
    throw new TypeError(
      `binaryFile: "contentType" is ${JSON.stringify(String(contentType).slice(0, 100))}; it must be like application/pdf.`,
    );
  return Object.freeze({ [FILE]: true, filename: safeFilename(filename), contentType, bytes, shown });
}

const TOKEN = '[A-Za-z0-9!#$&^_.+-]{1,60}';
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:; ?${TOKEN}=${TOKEN}){0,3}$`);
function isBinaryFile(value: unknown): value is BinaryFile {
  return typeof value === 'object' && value !== null && (value as { [FILE]?: unknown })[FILE] === true;
}

/** Converts a result to JSON, with a `FileResult` for each file. `keep` stores each file; without it a file is an error. */
export async function toJsonWithFiles(value: unknown, keep?: (file: BinaryFile) => Promise<FileResult>): Promise<AsJson> {
  const extraction = extractFiles(value);
  if (!extraction.ok) return extraction;
  if (extraction.files.length === 0) return { ok: true, data: extraction.data };
  const { files, mark } = extraction;
  if (!keep) return { ok: false, message: 'it holds a file, which only the result of a call can' };
  if (files.length > MOST_FILES) return { ok: false, message: `it holds ${files.length} files; ${MOST_FILES} are allowed` };
  const results: FileResult[] = [];
  for (const file of files) results.push({ ...(await keep(file)), ...(file.shown === true ? { shown: true as const } : {}) });
  return { ok: true, data: replaceObjects(extraction.data, (object) => results[object[mark] as number] ?? null) };
}

const MOST_FILES = 20;

/** A result as JSON with a mark in place of each file, and the files. */
export type ExtractedFiles = { ok: true; data: Json; mark: string; files: BinaryFile[] } | { ok: false; message: string };

/** Takes the files out of a result. Marks replace them while it is serialized, so that one place checks cycles and depth. */
export function extractFiles(value: unknown): ExtractedFiles {
  const files: BinaryFile[] = [];
  const mark = `file ${randomUUID()}`; // no key in a tool's result can be equal to it
  const json = toJson(value, (item) => (isBinaryFile(item) ? { [mark]: files.push(item) - 1 } : item));
  return json.ok ? { ...json, mark, files } : json;
}

/** The opposite: puts the files, which a message from a thread has copied, in place of their marks. */
export function restoreFiles({ data, mark, files }: Extract<ExtractedFiles, { ok: true }>): unknown {
  const again = files.map((file) => binaryFile(file));
  return replaceObjects(data, (object) =>
    Object.hasOwn(object, mark) ? (again[object[mark] as number] as unknown as Json) : null,
  );
}

/** The result for the model: each file has only its name, type, size and ref, without its bytes and its URL. */
export function withoutBytes(data: Json): Json {
  return replaceObjects(data, (object) => {
    const { filename, content_type, size, ref, content_base64, url, shown } = object;
    if (typeof filename !== 'string' || typeof content_type !== 'string') return null;
    if (typeof content_base64 !== 'string' && !(typeof url === 'string' && typeof object.sha256 === 'string')) return null;
    return { filename, content_type, ...optional({ size, ref, shown }) };
  });
}

/** The files in a result, inline or by URL. */
export function filesIn(data: Json): FileResult[] {
  const files: FileResult[] = [];
  replaceObjects(data, (object) => {
    const { filename, content_type, sha256, ref, content_base64, url } = object;
    if ([filename, content_type, sha256, ref, content_base64 ?? url].every((field) => typeof field === 'string'))
      files.push(object as unknown as FileResult);
    return null;
  });
  return files;
}

/** A result with inline files replaced by URLs. @param address the URL for a ref; null: it is no file of this call */
export function withAddresses(data: Json, address: (ref: string) => { url: string; expires_at: string } | null): Json {
  return replaceObjects(data, (object) => {
    const { content_base64, ...file } = object;
    const isComplete = typeof content_base64 === 'string' && typeof file.sha256 === 'string' && typeof file.ref === 'string';
    const location = isComplete ? address(file.ref as string) : null;
    return location && { ...file, ...location };
  });
}

/** A result with URLs of files replaced by base64. @param contents ref → base64; other files keep their URL */
export function withContents(data: Json, contents: ReadonlyMap<string, string>): Json {
  return replaceObjects(data, (object) => {
    const { url, expires_at, ...file } = object;
    const content = contents.get(String(file.ref));
    return content !== undefined && typeof url === 'string' && typeof expires_at === 'string'
      ? { ...file, content_base64: content }
      : null;
  });
}

/** True when a result has a URL that expires: such a result must not be cached. */
export function hasPresigned(data: Json): boolean {
  let hasMatch = false;
  replaceObjects(data, (object) => {
    if (typeof object.url === 'string' && typeof object.expires_at === 'string' && typeof object.sha256 === 'string')
      hasMatch = true;
    return null;
  });
  return hasMatch;
}

/** Copies JSON and replaces objects. Where `exchange` returns null, the object stays and its fields are searched. */
function replaceObjects(data: Json, exchange: (object: JsonObject) => Json | null): Json {
  if (Array.isArray(data)) return data.map((item) => replaceObjects(item, exchange));
  if (!isJsonObject(data)) return data;
  const other = exchange(data);
  if (other !== null) return other;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, replaceObjects(value, exchange)]));
}

// Files that the model sees with its own eyes. What a file is, its content says. The model gets it after the text of the result.

export interface ShownPart {
  type: FileKind;
  bytes: Uint8Array;
  /** For people and for the model. */
  name?: string;
}

export type ContentItem = { type: 'text'; text: string } | { type: FileKind; file: BinaryFile };

/**
 * @param parts texts, images (PNG, JPEG, GIF, WebP) and documents (PDF, plain text), in the order in which the model reads them
 * @throws ToolError `bad_file` for a file that is something else
 * @example
 * run: async ({ account }) => content(`Balance of ${account}:`, { type: 'image', bytes: await drawChart(account) })
 */
export function content(...parts: (string | ShownPart)[]): { content: ContentItem[] } {
  const items = parts.map((part): ContentItem => {
    if (typeof part === 'string') return { type: 'text', text: part };
    return { type: part.type, file: shownFile(part) };
  });
  return { content: items };
}

/** One file that the model sees, for any place in a result. @throws ToolError `bad_file` */
export function shownFile({ type, bytes, name }: Omit<ShownPart, 'type'> & { type?: FileKind }): BinaryFile {
  const check = checkFile(bytes);
  if (!check.ok) throw badFile(check.reason);
  const { kind, media_type } = check;
  if (type !== undefined && type !== kind)
    throw badFile(`it is ${media_type}, and not an ${type}`.replace('an document', 'a document'));
  const ending = media_type === 'text/plain' ? 'txt' : media_type.split('/')[1]!;
  return binaryFile({ filename: name ?? `${kind}.${ending}`, contentType: media_type, bytes, shown: true });
}

function badFile(reason: string): ToolError {
  return new ToolError('EXECUTION_ERROR', 'bad_file', `A file of the result cannot be shown: ${reason}.`, {
    nothingHappened: false, // the tool may have acted before it made its result
  });
}
