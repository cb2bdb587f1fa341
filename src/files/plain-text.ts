/** Checks plain text: UTF-8, without control characters. Markup is text like any other, and is never shown as anything else. */
import { isUtf8 } from 'node:buffer';

/** Bytes. A longer text fills the window of every model. */
const MOST_TEXT_BYTES = 1_000_000;
/** Control characters other than tab, line feed, form feed and carriage return. */
const CONTROL = /[^\P{Cc}\t\n\f\r]/u;
const UTF_16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

export function textFault(bytes: Buffer): string | null {
  if (UTF_16.some((mark) => bytes.subarray(0, 2).equals(mark))) return 'it is UTF-16: save it as UTF-8';
  if (!isUtf8(bytes)) return 'it is not UTF-8';
  if (bytes.length > MOST_TEXT_BYTES) return `it has ${bytes.length} bytes; a text may have ${MOST_TEXT_BYTES}`;
  const text = bytes.toString('utf8');
  if (text.trim() === '') return 'it has only white space';
  return CONTROL.test(text) ? 'it has control characters' : null;
}
