/** Asks questions in the terminal, one at a time, while other lines continue to appear above them. */
import { createInterface, type Interface } from 'node:readline/promises';
import { InputMute } from './input-mute';

/** The user typed Ctrl-D: there will be no more answers. */
export class EndOfInput extends Error {
  override readonly name = 'EndOfInput';
  constructor() {
    super('No answer: the input has ended.');
  }
}

export class TerminalQuestions {
  private last: Promise<unknown> = Promise.resolve();
  private open: Interface | null = null;
  private mute: InputMute | null = null;

  /** A question is on the terminal's last line: other code must not draw there. */
  get asking(): boolean {
    return this.open !== null;
  }

  /**
   * @param above lines that belong to the question, shown right before it
   * @returns the answer, or null when `signal` aborted first: no answer is needed any more
   * @throws EndOfInput
   */
  ask(question: string, signal: AbortSignal, above: string[] = []): Promise<string | null> {
    const answer = this.last.then(() => this.one(question, signal, above));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  /** Prints above the question on the last line, if there is one. */
  above(print: () => void): void {
    if (this.open === null) return print();
    process.stdout.write('\r\x1b[K');
    print();
    this.open.prompt(true); // with the text typed so far
  }

  /**
   * From now on, drops what is typed while no question is open.
   * @param onEnd called if Ctrl-D is typed then
   * @returns a function that ends this
   */
  muteInput(onEnd: () => void): () => void {
    const mute = (this.mute = new InputMute(onEnd));
    if (this.open === null) mute.on();
    return () => {
      mute.off();
      if (this.mute === mute) this.mute = null;
    };
  }

  private async one(question: string, signal: AbortSignal, above: string[]): Promise<string | null> {
    if (signal.aborted) return null;
    this.mute?.off();
    const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: question });
    this.open = terminal;
    // In raw mode Ctrl-C is a key: without this it would only end the question.
    terminal.on('SIGINT', () => {
      process.stdout.write('\n');
      process.kill(process.pid, 'SIGINT');
    });
    if (above.length > 0) process.stdout.write(`\r\x1b[K${above.join('\n')}\n`);
    try {
      return await terminal.question(question, { signal });
    } catch {
      process.stdout.write(signal.aborted ? '\r\x1b[K' : '\n');
      if (!signal.aborted) throw new EndOfInput(); // the only other way in which a question ends unanswered
      return null;
    } finally {
      this.open = null;
      terminal.close();
      this.mute?.on();
    }
  }
}
