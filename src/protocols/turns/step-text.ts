/**
 * Puts the text of a step together from its live pieces, for readers to whom a piece can only be added. Live pieces may be missing,
 * and begin anew when a model request is repeated. Then no more pieces are sent, and the end of the step, which is durable and has
 * the whole text, says what to put in place of what was sent.
 */
import type { TurnEvent } from '../../shapes/turn-event';

type TextDelta = Extract<TurnEvent, { type: 'text_delta' }>;

/** What a reader needs at the end of a step: more text, or another text in place of what it has. */
export type StepEnd = { rest: string } | { instead: string };

export class StepText {
  private step = 0;
  private attempt = 0;
  private sent = '';
  private isBroken = false;

  /** The step whose text is open; null: no piece of it was sent. */
  get open(): number | null {
    return this.sent === '' ? null : this.step;
  }

  /** The text to add; null: it does not follow what was sent. */
  piece({ step, attempt, offset, text }: TextDelta): string | null {
    if (step !== this.step) this.begin(step, attempt);
    if (this.isBroken || text === '') return null;
    if (attempt !== this.attempt || offset !== this.sent.length) {
      this.isBroken = true;
      return null;
    }
    this.sent += text;
    return text;
  }

  /** @param whole the step's text, as history has it; one that is very long is cut there */
  complete(step: number, whole: string): StepEnd {
    if (step !== this.step) this.begin(step, 0);
    const { sent, isBroken } = this;
    this.begin(0, 0);
    if (whole.startsWith(sent)) return { rest: whole.slice(sent.length) };
    return !isBroken && sent.length > whole.length ? { rest: '' } : { instead: whole };
  }

  private begin(step: number, attempt: number): void {
    this.step = step;
    this.attempt = attempt;
    this.sent = '';
    this.isBroken = false;
  }
}
