/**
 * Limits how much text of others a report shows, since a bundle may hold a gigabyte, and gives out ids. Ids in the document never
 * come from the bundle.
 */
import type { Node } from './doc';

const WHOLE = 6_000_000;
const ONE_TEXT = 20_000;
const WHEN_FULL = 200;
/** Characters; longer texts are folded. */
const LONG = 1_500;

export class TextLimits {
  private budget = WHOLE;
  private ids = 0;

  constructor(private readonly prefix = '') {}

  id(): string {
    this.ids += 1;
    return `${this.prefix}s${this.ids}`;
  }

  /** The text, or its beginning and how long it is. */
  cut(text: string, most = ONE_TEXT): string {
    const limit = Math.min(most, Math.max(this.budget, WHEN_FULL));
    const excerpt = text.length <= limit ? text : text.slice(0, limit).toWellFormed();
    this.budget -= excerpt.length;
    return excerpt.length === text.length
      ? text
      : `${excerpt}… (the first ${excerpt.length} of ${text.length} characters; the bundle has the rest)`;
  }

  /** A text with its label; a long one is folded. */
  quote(label: string, text: string, { open = false }: { open?: boolean } = {}): Node {
    const quote: Node = { is: 'quote', label, text: this.cut(text) };
    if (text.length <= LONG) return quote;
    return { is: 'fold', id: this.id(), title: `${label} (${text.length} characters)`, open, body: [quote] };
  }
}
