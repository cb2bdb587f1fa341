/** Lines as text, each chained to the one before. */
import { createHash } from 'node:crypto';
import { canonical } from '../../shared/json/canonical';
import type { Json } from '../../shared/json/json';
import type { Bodies, LineKind } from './lines';

export class LineWriter {
  /** How many lines there are. */
  lines = 0;
  /** Hash of the last line; null: there is none. */
  last: string | null = null;

  /**
   * The next line, with its newline.
   * @throws CanonicalError for a body that has no canonical form
   */
  line<K extends LineKind>(kind: K, body: Bodies[K]): string {
    const text = canonical({ n: this.lines, kind, prev: this.last, body: body as unknown as Json });
    this.last = createHash('sha256').update(text, 'utf8').digest('hex');
    this.lines += 1;
    return `${text}\n`;
  }
}
