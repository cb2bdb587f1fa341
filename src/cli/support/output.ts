/** What a command prints: lines for people, or JSON for machines. */
export interface Output {
  /** Only for people. */
  say(line: string): void;
  /** The answer: `lines` for people, `value` for machines. */
  answer(value: unknown, lines: string[]): void;
  /** For whoever watches, beside the answer: on standard error. */
  note(line: string): void;
  readonly json: boolean;
}

/** What `--json` is, in `--help`. */
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

/** Whoever reads us has had enough (`holdfast list | head -1`): no reason for a stack trace. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** Ends the process once all that was printed is written: a pipe takes 64 KB at a time, and the rest would be lost. */
export function exitAfterFlush(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
