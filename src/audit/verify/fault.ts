/** What is wrong with a bundle: the line, the rule (docs/bundle-format.md), and a sentence for whoever does not know the rule. */
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

/** A name, or other text of a bundle, as it may stand in a sentence. */
export function quote(text: unknown): string {
  return JSON.stringify(typeof text === 'string' ? text.slice(0, 100).toWellFormed() : (text ?? null)).slice(0, 120);
}
