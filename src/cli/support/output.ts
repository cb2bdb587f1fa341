/** What a command prints: lines for people, or one JSON value for machines. */
export interface Output {
  /** Only for people. */
  say(line: string): void;
  /** The answer: `lines` for people, `value` for machines. */
  answer(value: unknown, lines: string[]): void;
  readonly json: boolean;
}

export function createOutput(json: boolean): Output {
  return {
    json,
    say: (line) => void (json || process.stdout.write(`${line}\n`)),
    answer: (value, lines) => void process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join('')),
  };
}
