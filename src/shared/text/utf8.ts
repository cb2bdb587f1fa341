/**
 * Encodes text as UTF-8. Whether the workflow sandbox has `TextEncoder` depends on its SDK version, and every replay must give the
 * same bytes, so this file has its own encoder.
 */

/**
 * The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD, as in `TextEncoder` and `Buffer`. Text that is hashed for a digest
 * never has one: {@link canonical} refuses it.
 */
export function utf8(text: string): Uint8Array {
  // A UTF-16 unit needs three bytes at most (a pair: four).
  const bytes = new Uint8Array(text.length * 3);
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      bytes[n++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[n++] = 0xc0 | (code >> 6);
      bytes[n++] = 0x80 | (code & 63);
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = code < 0xdc00 ? text.charCodeAt(i + 1) : 0;
      if (low >= 0xdc00 && low <= 0xdfff) {
        i++;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        bytes[n++] = 0xf0 | (code >> 18);
        bytes[n++] = 0x80 | ((code >> 12) & 63);
        bytes[n++] = 0x80 | ((code >> 6) & 63);
        bytes[n++] = 0x80 | (code & 63);
        continue;
      }
      code = 0xfffd;
    }
    bytes[n++] = 0xe0 | (code >> 12);
    bytes[n++] = 0x80 | ((code >> 6) & 63);
    bytes[n++] = 0x80 | (code & 63);
  }
  return bytes.subarray(0, n);
}

/** Cuts text to at most `bytes` of UTF-8, never inside a character. PostgreSQL's search attributes hold 255. */
export function cutBytes(text: string, bytes: number): string {
  let size = 0;
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0)!;
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size > bytes) return out;
    out += char;
  }
  return out;
}
