/** Collects the output of a command: its beginning up to a limit, and always its end. */
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

/** Bytes kept from the beginning; the rest is counted, and only its end is kept. */
export const KEPT_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 256 * 1024;

export class CommandOutput {
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  private tail: Buffer = Buffer.alloc(0);
  /** All that was printed, bytes. */
  bytes = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const room = KEPT_BYTES - this.headBytes;
    if (room > 0) {
      this.head.push(chunk.subarray(0, room));
      this.headBytes += Math.min(room, chunk.length);
    }
    if (chunk.length > room) {
      const joined = Buffer.concat([this.tail, chunk.subarray(Math.max(0, room))]);
      this.tail = Buffer.from(joined.subarray(-TAIL_BYTES));
    }
  }

  /** The kept text: all of it, or its beginning and its end with a note about the gap. */
  text(): string {
    const head = Buffer.concat(this.head);
    const missing = this.bytes - head.length - this.tail.length;
    const between = missing > 0 ? `\n[… ${missing} bytes were not kept …]\n` : '';
    return missing > 0 ? toPrintable(head) + between + toPrintable(this.tail) : toPrintable(Buffer.concat([head, this.tail]));
  }
}

/** Bytes as text that can be read and stored: well-formed, without terminal controls. */
function toPrintable(bytes: Buffer): string {
  const decoder = new StringDecoder('utf8');
  const text = stripVTControlCharacters(decoder.write(bytes) + decoder.end()).toWellFormed();
  return text.replace(/\r\n/g, '\n').replace(/[^\P{Cc}\n\t\r]/gu, '');
}

/** Beginning and end of a long text, half of the limit each. */
export function excerpt(text: string, most: number): { text: string; truncated: boolean } {
  if (text.length <= most) return { text, truncated: false };
  const half = Math.floor(most / 2);
  const mark = `\n[… ${text.length - 2 * half} of ${text.length} characters left out …]\n`;
  return { text: text.slice(0, half).toWellFormed() + mark + text.slice(-half).toWellFormed(), truncated: true };
}
