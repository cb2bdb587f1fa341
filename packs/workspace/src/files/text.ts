/** Reads files as text. Only UTF-8 is accepted, since an edit of anything else would destroy what it does not touch. */
import { createHash } from 'node:crypto';
import { joinNames, type Names } from './path';
import { invalid } from './refusals';

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A NUL byte near the beginning, as git checks. */
export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8192).includes(0);
}

/** Whether a file begins as an image or a PDF does: then it is shown, or refused with the reason. */
export function isShown(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return /^(?:\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|%PDF-\d|RIFF[\s\S]{4}WEBP)/.test(start);
}

/** The exact text, byte order mark and line ends included. @throws ToolError INVALID_PARAMS `not_text` */
export function textOf(bytes: Uint8Array, path: Names): string {
  const no = (why: string) => invalid('not_text', `${joinNames(path)} ${why}.`, 'Use bash for binary files.');
  if (looksBinary(bytes)) throw no('is a binary file');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw no('is not UTF-8 text');
  }
}

/** The text's lines, each with its line end; none for an empty text. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = lines.pop()!.slice(0, -1);
  return last === '' ? lines : [...lines, last];
}
