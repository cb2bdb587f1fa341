/** Writes the lines of a bundle as text, each chained to the line before. */
import { canonical } from '../../shared/json/canonical';
import type { Json } from '../../shared/json/json';
import type { Bodies, LineKind } from './lines';
import { sha256Hex } from '../../shared/json/sha256';

export class LineWriter {
  /** Number of lines written so far. */
  lines = 0;
  /** Hash of the last line; null: no line yet. */
  last: string | null = null;

  /**
   * Writes the next line. @returns its text, with a newline
   * @throws CanonicalError for a body that has no canonical form
   */
  line<K extends LineKind>(kind: K, body: Bodies[K]): string {
    const text = canonical({ n: this.lines, kind, prev: this.last, body: body as unknown as Json });
    this.last = sha256Hex(text);
    this.lines += 1;
    return `${text}\n`;
  }
}
