/**
 * A value with each text that stands in it several times written once. A call's digest, a person's name and a note stand at
 * many places of a turn's state, which goes on from run to run.
 */
import type { Json } from './json';

export interface Packed {
  texts: string[];
  /** A text `~<n>` stands for `texts[n]`; any other that begins with `~` has one more before it. */
  value: Json;
  /** Part with what people have said, which `value` has only numbers of. Absent: it has all of it. */
  said_ref?: string;
}

/** Shorter ones take no more than what would stand for them. */
const SHORTEST = 16;

/** @param value plain data; what is undefined is left out, as in JSON */
export function packed(value: unknown): Packed {
  const counts = new Map<string, number>();
  eachText(value, (text) => text.length >= SHORTEST && counts.set(text, (counts.get(text) ?? 0) + 1));
  const texts = [...counts].filter(([, count]) => count > 1).map(([text]) => text);
  const places = new Map(texts.map((text, index) => [text, `~${index}`]));
  return { texts, value: mapped(value, (text) => places.get(text) ?? (text.startsWith('~') ? `~${text}` : text)) };
}

export function unpacked({ texts, value }: Packed): Json {
  return mapped(value, (text) => {
    if (!text.startsWith('~')) return text;
    return text.startsWith('~~') ? text.slice(1) : texts[Number(text.slice(1))]!;
  });
}

/** False for a state as older builds passed it on. */
export function isPacked(value: unknown): value is Packed {
  return typeof value === 'object' && value !== null && Array.isArray((value as Partial<Packed>).texts);
}

/** Whichever depth it stands at; names of fields are none. */
export function eachText(value: unknown, tell: (text: string) => void): void {
  if (typeof value === 'string') tell(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) eachText(part, tell);
}

function mapped(value: unknown, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
  if (Array.isArray(value)) return value.map((part: unknown) => mapped(part, change));
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(parts.map(([key, part]) => [key, mapped(part, change)]));
}
