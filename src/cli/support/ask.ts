/** Questions in the terminal, one at a time, while other lines go on appearing above them. */
import { createInterface, type Interface } from 'node:readline/promises';
import { InputMute } from './hush';

/** Ctrl-D: whoever sits there has nothing more to say. */
export class EndOfInput extends Error {
  override readonly name = 'EndOfInput';
  constructor() {
    super('No answer: the input has ended.');
  }
}

export class Questions {
  private last: Promise<unknown> = Promise.resolve();
  private open: Interface | null = null;
  private hush: InputMute | null = null;

  /** A question stands on the terminal's last line: nobody else may draw there. */
  get asking(): boolean {
    return this.open !== null;
  }

  /**
   * @param above lines that belong to the question, shown right before it
   * @returns the answer, or null when `signal` aborted first: the question is moot
   * @throws EndOfInput
   */
  ask(question: string, signal: AbortSignal, above: string[] = []): Promise<string | null> {
    const asked = this.last.then(() => this.one(question, signal, above));
    this.last = asked.catch(() => undefined);
    return asked;
  }

  /** Prints above the question that stands on the last line, if one does. */
  above(print: () => void): void {
    if (this.open === null) return print();
    process.stdout.write('\r\x1b[K');
    print();
    this.open.prompt(true); // with what has been typed
  }

  /**
   * From now on what is typed while nothing is asked counts for nothing.
   * @param ended Ctrl-D was typed then
   * @returns ends that
   */
  muteInput(ended: () => void): () => void {
    const hush = (this.hush = new InputMute(ended));
    if (this.open === null) hush.on();
    return () => {
      hush.off();
      if (this.hush === hush) this.hush = null;
    };
  }

  private async one(question: string, signal: AbortSignal, above: string[]): Promise<string | null> {
    if (signal.aborted) return null;
    this.hush?.off();
    const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: question });
    this.open = terminal;
    // In raw mode Ctrl-C is a key: without this it would end the question and nothing else.
    terminal.on('SIGINT', () => {
      process.stdout.write('\n');
      process.kill(process.pid, 'SIGINT');
    });
    if (above.length > 0) process.stdout.write(`\r\x1b[K${above.join('\n')}\n`);
    try {
      return await terminal.question(question, { signal });
    } catch {
      process.stdout.write(signal.aborted ? '\r\x1b[K' : '\n');
      if (!signal.aborted) throw new EndOfInput(); // the only other way that a question ends without an answer
      return null;
    } finally {
      this.open = null;
      terminal.close();
      this.hush?.on();
    }
  }
}
