/** Converts a call's input to CEL values. Objects become maps, so that an expression finds own fields only. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

export type CelInput = null | boolean | bigint | number | string | CelInput[] | Map<string, CelInput>;

/** A condition fails on a larger input, and then counts as the stricter result. */
export const MOST_VALUES = 5000;
/** More digits than any amount has. */
const MOST_DIGITS = 1000;

/**
 * Integers become CEL's int, which compares exactly at any size. So does a text whose schema allows digits only: amounts are sent
 * as `"250000000000000000000"`. A `type: number` stays a double.
 * @throws Error if the input has too many values, or a number too many digits
 */
export function celInput(input: JsonObject, schema: JsonObject): Map<string, CelInput> {
  let remaining = MOST_VALUES;
  const convert = (value: Json, at: JsonObject): CelInput => {
    if (--remaining < 0) throw new Error(`the input has more than ${MOST_VALUES} values`);
    if (Array.isArray(value)) return value.map((item) => convert(item, child(at.items)));
    if (isJsonObject(value)) {
      const properties = child(at.properties);
      return new Map(Object.entries(value).map(([key, field]) => [key, convert(field, own(properties, key))]));
    }
    if (typeof value === 'number') return Number.isSafeInteger(value) && at.type !== 'number' ? BigInt(value) : value;
    return typeof value === 'string' && takesDigitsOnly(at) ? integer(value) : value;
  };
  return convert(input, schema) as Map<string, CelInput>;
}

function integer(text: string): CelInput {
  if (!/^-?\d+$/.test(text)) return text;
  if (text.length > MOST_DIGITS) throw new Error(`an amount has ${text.length} digits`);
  return BigInt(text);
}

/** `^`, digit classes with their counts, `$`: a text that fits such a pattern is a whole number. */
const DIGIT_PATTERN = /^\^(?:\\d|\[[0-9]-[0-9]\]|[0-9]|\{\d+(?:,\d*)?\}|[-+*?|()]|\(\?:)+\$$/;

function takesDigitsOnly(schema: JsonObject): boolean {
  return typeof schema.pattern === 'string' && schema.pattern.length < 200 && DIGIT_PATTERN.test(schema.pattern);
}

function child(schema: Json | undefined): JsonObject {
  return isJsonObject(schema) ? schema : {};
}

function own(properties: JsonObject, key: string): JsonObject {
  return Object.hasOwn(properties, key) ? child(properties[key]) : {};
}
