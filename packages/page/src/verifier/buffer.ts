/**
 * The part of Node's `Buffer` that the verifier uses, over a `Uint8Array`, so that the same source verifies in a browser. Texts are
 * read as Node reads them: characters that are no base64 are left out, and hex ends at the first that is none.
 */
import { toBase64url } from '../lib/base64url';

type Encoding = 'utf8' | 'hex' | 'base64' | 'base64url';

export class PageBuffer extends Uint8Array<ArrayBuffer> {
  /** Of an `ArrayBuffer` it is a view: the next two are then its offset and its length. */
  static override from(source: unknown, encoding?: unknown, length?: unknown): PageBuffer {
    if (source instanceof ArrayBuffer) return new PageBuffer(source, Number(encoding ?? 0), length as number | undefined);
    const bytes = typeof source === 'string' ? bytesOf(source, encoding as Encoding | undefined) : (source as ArrayLike<number>);
    const buffer = new PageBuffer(new ArrayBuffer(bytes.length));
    buffer.set(bytes);
    return buffer;
  }

  static concat(parts: readonly Uint8Array[]): PageBuffer {
    const all = new PageBuffer(new ArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0)));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  static byteLength(text: string): number {
    return new TextEncoder().encode(text).length;
  }

  static isBuffer(value: unknown): value is PageBuffer {
    return value instanceof PageBuffer;
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, index) => byte === other[index]);
  }

  readUInt32BE(at: number): number {
    return new DataView(this.buffer, this.byteOffset).getUint32(at);
  }

  override toString(encoding: Encoding = 'utf8'): string {
    if (encoding === 'hex') return [...this].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    if (encoding === 'utf8') return new TextDecoder().decode(this);
    const text = toBase64url(this);
    if (encoding === 'base64url') return text;
    return text
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .padEnd(Math.ceil(text.length / 4) * 4, '=');
  }
}

function bytesOf(text: string, encoding: Encoding = 'utf8'): Uint8Array {
  if (encoding === 'utf8') return new TextEncoder().encode(text);
  // Node reads the low byte of each character.
  const lowBytes = text.replace(/[^\x00-\xff]/g, (char) => String.fromCharCode(char.charCodeAt(0) & 0xff));
  if (encoding === 'hex') {
    const digits = /^(?:[0-9a-fA-F]{2})*/.exec(lowBytes)![0];
    return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
      Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
    );
  }
  const plain = lowBytes
    .split('=')[0]!
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  return Uint8Array.from(atob(whole), (char) => char.charCodeAt(0));
}

/** As in `node:buffer`. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
