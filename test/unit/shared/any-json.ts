/** Arbitrary JSON that has a canonical form, with awkward keys and texts. */
import * as fc from 'fast-check';
import { type Json, type JsonObject, setOwn } from '../../../src/shared/json/json';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', '1', '\u2028'),
);
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
);

export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(fc.constantFrom(null, true, false), number, text),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.uniqueArray(fc.tuple(text, tie('value')), { maxLength: 5, selector: ([key]) => key }).map(fromEntries),
  ),
})).value;

/** The same value with its keys in another order. */
export function shuffled(value: Json, seed: number): Json {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, seed));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => [key, shuffled(item, seed)]);
  const turn = entries.length === 0 ? 0 : seed % entries.length;
  return fromEntries([...entries.slice(turn), ...entries.slice(0, turn)].reverse());
}

function fromEntries(entries: [string, Json][]): JsonObject {
  const object: JsonObject = {};
  for (const [key, item] of entries) setOwn(object, key, item);
  return object;
}
