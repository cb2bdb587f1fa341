/** Prints a command's output: lines for people, or JSON for machines. */
export interface Output {
  /** For people only. */
  say(line: string): void;
  /** The answer: `lines` for people, `value` for machines. */
  answer(value: unknown, lines: string[]): void;
  /** A remark beside the answer, on standard error. */
  note(line: string): void;
  readonly json: boolean;
}

export const JSON_OPTION = 'JSON instead of lines, one value a line';

export function createOutput(json: boolean): Output {
  return {
    json,
    say: (line) => void (json || process.stdout.write(`${line}\n`)),
    answer: (value, lines) =>
      void process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join('')),
    note: (line) => void process.stderr.write(`${line}\n`),
  };
}

/** The reader of our output has closed it (`holdfast list | head -1`): end without a stack trace. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** Ends the process after all output is written: a pipe takes 64 KB at a time, and the rest would be lost. */
export function exitAfterFlush(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
