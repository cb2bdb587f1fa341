/** A text that no list can be asked for. */
export class UnsearchableText extends TypeError {
  override readonly name = 'UnsearchableText';
}

/** Databases behind Temporal's lists refuse a NUL, and the server asks them again and again until its time is up; no name of ours has one of these. */
const CONTROL = /[\u0000-\u001f\u007f]/;

/** @throws UnsearchableText where a database cannot take it */
export function searchable(text: string): string {
  if (!CONTROL.test(text) && text.isWellFormed()) return text;
  const shown = JSON.stringify(text.slice(0, 100));
  throw new UnsearchableText(
    `${shown} has a control character or half a character, which no list can be asked for. Leave it out.`,
  );
}

/** A text as a literal of Temporal's list filter. @throws UnsearchableText */
export function visibilityText(text: string): string {
  return `'${searchable(text).replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}
