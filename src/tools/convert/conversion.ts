/** What every conversion gives: the value, and a list of what the other side has no words for. */

export interface Loss {
  /** JSON pointer into what was converted. */
  path: string;
  /** What is lost or was assumed, in words. */
  what: string;
}

export interface Conversion<T> {
  value: T;
  /** Empty: nothing was lost, and nothing was assumed. */
  losses: Loss[];
}

/** A foreign definition, call or result that cannot be taken. The message lists every fault. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

/** A value as text for a message, cut. */
export function formatValue(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= 80 ? json : `${json.slice(0, 79).toWellFormed()}…`;
}
