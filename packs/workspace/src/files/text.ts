/** Reads files as text. Only UTF-8 is accepted, since an edit of anything else would destroy what it does not touch. */
import { createHash } from 'node:crypto';
import { joinNames, type Names } from './path';
import { invalid } from './refusals';

const LINE_FEED = 0x0a;

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

export interface Excerpt {
  content: string;
  /** Number of its lines. */
  count: number;
  /** The first line does not fit, and content is its beginning. */
  cut: boolean;
  /** Number of lines of the whole text. */
  total: number;
}

/**
 * The whole lines from `offset` on, counted from 1, that fit: at most `limit`, with at most `most` UTF-16 units. Counts without an
 * array of lines, since a text may have millions.
 */
export function excerptOf(text: string, { offset, limit, most }: { offset: number; limit: number; most: number }): Excerpt {
  let [total, count, lineStart, start, end] = [0, 0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== LINE_FEED && at < text.length - 1) continue;
    total++;
    if (total === offset) start = end = lineStart;
    lineStart = at + 1;
    if (total !== offset + count || count === limit || lineStart - start > most) continue;
    count++;
    end = lineStart;
  }
  const cut = count === 0 && offset <= total;
  if (cut) return { content: text.slice(start, start + most).toWellFormed(), count: 1, cut, total };
  return { content: text.slice(start, end), count, cut, total };
}
