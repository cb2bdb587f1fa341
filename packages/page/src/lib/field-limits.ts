/** The limits that a schema sets to a value: in words beside the field, and checked before the form is sent. The worker checks again. */
import type { JsonObject } from '../../../../src/shared/json/json';

/** What is absent is not limited. */
export interface Limits {
  minimum?: number;
  maximum?: number;
  above?: number;
  below?: number;
  multipleOf?: number;
  /** Characters of a text, entries of a list. */
  shortest?: number;
  longest?: number;
}

const KEYWORDS: Record<keyof Limits, readonly string[]> = {
  minimum: ['minimum'],
  maximum: ['maximum'],
  above: ['exclusiveMinimum'],
  below: ['exclusiveMaximum'],
  multipleOf: ['multipleOf'],
  shortest: ['minLength', 'minItems'],
  longest: ['maxLength', 'maxItems'],
};

export function limitsOf(schema: JsonObject): Limits {
  const limits: Limits = {};
  for (const limit of Object.keys(KEYWORDS) as (keyof Limits)[])
    for (const keyword of KEYWORDS[limit]) {
      const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      // zod writes the largest exact integers as limits of every integer.
      if (typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER) limits[limit] = value;
    }
  return limits;
}

export function numberFault(value: number, { minimum, maximum, above, below, multipleOf }: Limits): string | null {
  if (minimum !== undefined && value < minimum) return `At least ${minimum}.`;
  if (maximum !== undefined && value > maximum) return `At most ${maximum}.`;
  if (above !== undefined && value <= above) return `More than ${above}.`;
  if (below !== undefined && value >= below) return `Less than ${below}.`;
  return multipleOf !== undefined && !isMultiple(value, multipleOf) ? `A multiple of ${multipleOf}.` : null;
}

/** @param length in characters, or entries @param of what it has, such as `character` */
export function lengthFault(length: number, { shortest, longest }: Limits, of: 'character' | 'entry'): string | null {
  if (shortest !== undefined && length < shortest) return `At least ${quantity(shortest, of)}.`;
  return longest !== undefined && length > longest ? `At most ${quantity(longest, of)}.` : null;
}

/** Such as `At least 1, at most 500.`; null: there is nothing that a person must know beforehand. */
export function limitsInWords(
  { minimum, maximum, above, below, multipleOf, shortest, longest }: Limits,
  of: 'character' | 'entry',
): string | null {
  const words = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(above === undefined ? [] : [`more than ${above}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(below === undefined ? [] : [`less than ${below}`]),
    ...(multipleOf === undefined ? [] : [`a multiple of ${multipleOf}`]),
    ...(shortest === undefined || shortest < 2 ? [] : [`at least ${quantity(shortest, of)}`]),
    ...(longest === undefined ? [] : [`at most ${quantity(longest, of)}`]),
  ];
  const text = words.join(', ');
  return text === '' ? null : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** As JSON Schema means it, although 0.3 is no exact multiple of 0.1 in binary. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return of > 0 && Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

function quantity(number: number, of: 'character' | 'entry'): string {
  if (number === 1) return `1 ${of}`;
  return `${number} ${of === 'entry' ? 'entries' : 'characters'}`;
}
