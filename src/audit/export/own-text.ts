/** The same text in memory of its own: a piece of a parsed line would keep the whole line there. For whatever is kept longer than a line. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
