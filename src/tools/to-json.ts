import { canonical, CanonicalError } from '../shared/canonical';
import type { Json } from '../shared/json';

export type AsJson = { ok: true; data: Json } | { ok: false; message: string };

/**
 * What a tool returned, as JSON that can be hashed. Lone surrogates become U+FFFD; integers beyond
 * ±(2^53−1), which no double holds exactly and RFC 8785 readers disagree on, become strings; what JSON
 * cannot say is a fault.
 * @param exchange is given each value first, and says what to take instead
 */
export function toJson(value: unknown, exchange: (item: unknown) => unknown = (item) => item): AsJson {
  try {
    const text = JSON.stringify(value ?? null, (_key, given: unknown) => {
      const item = exchange(given);
      if (typeof item === 'string') return item.toWellFormed();
      if (typeof item === 'bigint') return item.toString();
      return Number.isInteger(item) && !Number.isSafeInteger(item) ? BigInt(item as number).toString() : item;
    });
    const data = JSON.parse(text ?? 'null') as Json;
    canonical(data);
    return { ok: true, data };
  } catch (error) {
    if (error instanceof CanonicalError || error instanceof TypeError || error instanceof RangeError)
      return { ok: false, message: error.message };
    throw error;
  }
}
