/**
 * The model's text, as it writes it, on a terminal. It may come with gaps, or begin anew after a lost request: then what
 * stands there is not believed, and the finished text is shown after it.
 */
import { visible } from '../../shared/text/visible';

export interface Piece {
  step: number;
  attempt: number;
  /** Where it begins in the attempt's text, in UTF-16 units. */
  offset: number;
  text: string;
}

export class StreamedText {
  private of = '';
  private text = '';
  private whole = true;
  private midLine = false;

  constructor(private readonly write: (text: string) => void) {}

  /** The terminal's last line is ours: nobody else may draw there. */
  get open(): boolean {
    return this.midLine;
  }

  add({ step, attempt, offset, text }: Piece): void {
    const of = `${step}.${attempt}`;
    if (of !== this.of) {
      this.end();
      [this.of, this.text, this.whole] = [of, '', true];
    }
    if (offset !== this.text.length) this.whole = false;
    if (!this.whole) return; // the rest of a text without its middle misleads
    this.text += text;
    this.write(visible(text));
    this.midLine = true;
  }

  /** Whether exactly this has been shown, of the last request. */
  hasShown(text: string): boolean {
    return this.whole && text !== '' && this.text === text;
  }

  /** Another line follows. */
  end(): void {
    if (this.midLine) this.write('\n');
    this.midLine = false;
  }
}
