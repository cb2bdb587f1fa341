/** Cuts text to at most `bytes` of UTF-8, never inside a character. PostgreSQL's search attributes hold 255. */
export function cutBytes(text: string, bytes: number): string {
  let used = 0;
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0)!;
    used += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (used > bytes) return out;
    out += char;
  }
  return out;
}
