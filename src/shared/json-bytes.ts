/** What a value takes on the wire: UTF-8 bytes of its JSON. Characters say little: one may be six bytes. */

const BEYOND_ASCII = /[^\0-\x7f]/;

/** UTF-8 bytes of a value's JSON; 0 for what has none. */
export function jsonBytes(value: unknown): number {
  return utf8Length(JSON.stringify(value) ?? '');
}

/** The text, or as much of it as takes `bytes` of JSON, with an ellipsis. */
export function cutJson(text: string, bytes: number): string {
  if (jsonBytes(text) <= bytes) return text;
  let used = 5; // quotes and ellipsis
  let out = '';
  for (const char of text.toWellFormed()) {
    used += jsonBytes(char) - 2;
    if (used > bytes) break;
    out += char;
  }
  return `${out}…`;
}

/** Without the bytes themselves. A lone surrogate counts as the three bytes that stand for it. */
function utf8Length(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) bytes += code < 0x800 ? 1 : 2;
    const pair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (pair) i += 1; // two units, four bytes
  }
  return bytes;
}
