/**
 * Checks the files that messages name (rule B14): each part is there, describes the file as the message does, and its bytes have the
 * hash that it says. Of bytes only their number and hash are kept. A file may stand in the lines of an earlier turn.
 */
import { sha256Hex } from '../../shared/json/sha256';
import { isJsonObject, type Json } from '../../shared/json/json';
import type { FilePart } from '../../shared/turn/message';
import {
  FILE_BYTES_VERSION,
  filePart,
  filesInContent,
  readFileBody,
  readFileBytes,
  type FileBody,
} from '../../record/stored-file';
import type { Part } from '../../shared/turn/transcript';
import { hashOf } from './values';

interface Bytes {
  size: number;
  sha256: string;
}

/** What the bundle has under a ref; null: it was left out. */
type PartContent = { file: FileBody } | { bytes: Bytes } | 'other' | null;

/** The files of a whole bundle. */
export class BundleFiles {
  private readonly contents = new Map<string, Exclude<PartContent, 'other'>>();
  private readonly others = new Set<string>();

  part(ref: string, part: Part | null): void {
    const content = part === null ? null : read(part.body);
    if (content === 'other') this.others.add(ref);
    else this.contents.set(ref, content);
  }

  /** What is wrong with a file that a message names; null: nothing. */
  fault(of: FilePart): string | null {
    const described = this.find(of.file);
    if (described === null) return null;
    if (described === undefined) return `A message names a file that is not in the bundle (${of.file})`;
    if (described === 'other' || !('file' in described)) return 'A message names as a file what is none';
    const { file } = described;
    if (hashOf(filePart(of.file, file)) !== hashOf(of)) return `The file ${of.file} is another than the message says`;
    const content = this.find(file.bytes);
    if (content === null) return null;
    if (content === undefined) return `The bytes of the file ${of.file} are not in the bundle`;
    const isSame =
      content !== 'other' && 'bytes' in content && content.bytes.size === file.size && content.bytes.sha256 === file.sha256;
    return isSame ? null : `The bytes of the file ${of.file} are others than its description says`;
  }

  private find(ref: string): PartContent | undefined {
    return this.others.has(ref) ? 'other' : this.contents.get(ref);
  }
}

/** The files that the messages of one turn name. */
export class TurnFiles {
  /** By the ref of a part: the files in it. */
  private readonly within = new Map<string, FilePart[]>();
  /** Heads of messages of the user's side: nobody else's messages have files. */
  private readonly users = new Set<string>();
  private readonly named: FilePart[] = [];

  constructor(private readonly all: BundleFiles) {}

  part(ref: string, part: Part | null): void {
    this.all.part(ref, part);
    const body = part?.body ?? null;
    if (!isJsonObject(body)) return;
    if (body.role === 'user') this.users.add(ref);
    const files = filesInContent([body]);
    if (files.length > 0) this.within.set(ref, files);
  }

  /** An own block. @param parts refs, the first is that of its head */
  message([head = '', ...parts]: readonly string[]): void {
    if (!this.users.has(head)) return;
    for (const ref of parts) for (const file of this.within.get(ref) ?? []) this.named.push(file);
  }

  /** Once all lines of the turn have come: what is wrong with a file; null: nothing. */
  fault(): string | null {
    for (const file of this.named) {
      const fault = this.all.fault(file);
      if (fault !== null) return fault;
    }
    return null;
  }
}

function read(body: Json): PartContent {
  const file = readFileBody(body);
  if (file !== null) return { file };
  if (!isJsonObject(body) || body.v !== FILE_BYTES_VERSION) return 'other';
  const bytes = readFileBytes(body);
  // Base64 in its one form. A regular expression would overflow its stack on a large file.
  return bytes === null || bytes.toString('base64') !== body.data
    ? 'other'
    : { bytes: { size: bytes.length, sha256: sha256Hex(bytes) } };
}

/** The hashes of the parts of a message, in order; null: it is a text, or not known. */
export function partHashes(message: Json | undefined): string[] | null {
  return Array.isArray(message) ? message.map((part) => hashOf(part) ?? '') : null;
}

/** Whether a turn's argument has a message: a text, or parts. */
export function isMessage(message: Json | undefined): message is string | Json[] {
  return typeof message === 'string' || Array.isArray(message);
}
