/** The result type and the error type of all conversions: a value, and a list of what the target format cannot express. */

export interface Loss {
  /** JSON pointer into the value that was converted. */
  path: string;
  /** What was lost or assumed, as text. */
  what: string;
}

export interface Conversion<T> {
  value: T;
  /** Empty: nothing was lost, and nothing was assumed. */
  losses: Loss[];
}

/** Thrown for a foreign definition, call or result that cannot be converted. The message lists the faults. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

/** A value as text for a message, cut at 80 characters. */
export function formatValue(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= 80 ? json : `${json.slice(0, 79).toWellFormed()}…`;
}
