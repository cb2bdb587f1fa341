/**
 * Copies a text into memory of its own, for texts that are kept longer than the line that they are from: a substring keeps the
 * whole parsed line in memory.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
