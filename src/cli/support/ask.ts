/** Questions in the terminal, one at a time, while other lines go on appearing above them. */
import { createInterface, type Interface } from 'node:readline/promises';

export class Questions {
  private last: Promise<unknown> = Promise.resolve();
  private open: Interface | null = null;

  /** A question stands on the terminal's last line: nobody else may draw there. */
  get asking(): boolean {
    return this.open !== null;
  }

  /** @returns the answer, or null when `signal` aborted first: the question is moot */
  ask(question: string, signal: AbortSignal): Promise<string | null> {
    const asked = this.last.then(() => this.one(question, signal));
    this.last = asked;
    return asked;
  }

  /** Shows the question and what has been typed again, after another line was printed. */
  redraw(): void {
    this.open?.prompt(true);
  }

  private async one(question: string, signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return null;
    const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: question });
    this.open = terminal;
    // In raw mode Ctrl-C is a key: without this it would end the question and nothing else.
    terminal.on('SIGINT', () => {
      process.stdout.write('\n');
      process.kill(process.pid, 'SIGINT');
    });
    try {
      return await terminal.question(question, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      process.stdout.write('\r\x1b[K');
      return null;
    } finally {
      this.open = null;
      terminal.close();
    }
  }
}
