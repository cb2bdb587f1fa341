/** A fault of a bundle: its line, the rule that it breaks (docs/bundle-format.md), and an explanation in words. */
export class Fault extends Error {
  override readonly name = 'Fault';
  constructor(
    readonly line: number,
    readonly rule: string,
    reason: string,
  ) {
    super(reason);
  }
}

/** With a capital letter, to begin a sentence. */
export function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Quotes a name or other text of a bundle for use in a sentence; at most 120 characters. */
export function quote(text: unknown): string {
  return JSON.stringify(typeof text === 'string' ? text.slice(0, 100).toWellFormed() : (text ?? null)).slice(0, 120);
}
