/** A text as a literal of Temporal's list filter. */
export function visibilityText(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}
