/**
 * Shows the model's text on a terminal as the model writes it. It may come with gaps, or start again after a lost request: then the
 * shown text may be wrong, and the finished text is shown after it.
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

  /** The terminal's last line is unfinished: other code must not draw there. */
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
    if (!this.whole) return; // text without its middle would mislead
    this.text += text;
    this.write(visible(text));
    this.midLine = true;
  }

  /** Whether exactly this text of the last request was shown. */
  hasShown(text: string): boolean {
    return this.whole && text !== '' && this.text === text;
  }

  /** Ends the line before another one is printed. */
  end(): void {
    if (this.midLine) this.write('\n');
    this.midLine = false;
  }
}
