/**
 * Fills a tool's input from its schema and the user's words: always the same for the same message. Required fields only. If a field
 * cannot be filled, the whole input is undefined, so that the player does not call the tool rather than call it with nonsense.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { dates, emails, identifiers, numbers, paths, quotations, ticker, urls, words } from './words';

const MAX_DEPTH = 8;
/** Tried in order if no word of the user's fits a pattern. */
const SHAPES = [
  'a',
  'A',
  'AAPL',
  '0',
  '1',
  '1.0.0',
  '2026-01-02',
  '10:00',
  'a-1',
  `0x${'0'.repeat(40)}`,
  `0x${'0'.repeat(64)}`,
  '0'.repeat(64),
];
const FORMATS: Readonly<Record<string, string>> = {
  email: 'someone@example.com',
  date: '2026-01-02',
  'date-time': '2026-01-02T03:04:05Z',
  time: '03:04:05Z',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** An input for a tool of type object, or undefined when a required field cannot be filled. */
export function guessInput(schema: JsonObject, message: string): JsonObject | undefined {
  const value = guess(schema, '', message, schema, 0);
  return isJsonObject(value) ? value : undefined;
}

function guess(schema: Json | undefined, name: string, message: string, root: JsonObject, depth: number): Json | undefined {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return undefined;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return chooseEnumValue(schema.enum, message);
  if ('default' in schema) return schema.default;
  if (typeof schema.$ref === 'string') return guess(resolve(schema.$ref, root), name, message, root, depth + 1);
  const options = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (options !== undefined && schema.type === undefined) {
    return options.map((option) => guess(option, name, message, root, depth + 1)).find((value) => value !== undefined);
  }
  switch (Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? (schema.properties ? 'object' : undefined))) {
    case 'string':
      return text(schema, name, message);
    case 'integer':
      return numeral(schema, message, true);
    case 'number':
      return numeral(schema, message, false);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return list(schema, name, message, root, depth);
    case 'object':
      return record(schema, message, root, depth);
    default:
      return undefined;
  }
}

/** An enum's value that the user named, or its first. */
function chooseEnumValue(values: Json[], message: string): Json | undefined {
  const messageWords = words(message);
  return values.find((value) => typeof value === 'string' && messageWords.includes(value)) ?? values[0];
}

function record(schema: JsonObject, message: string, root: JsonObject, depth: number): JsonObject | undefined {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((key): key is string => typeof key === 'string') : [];
  const entries = required.map((key) => [key, guess(properties[key], key, message, root, depth + 1)] as const);
  if (entries.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(entries) as JsonObject;
}

function list(schema: JsonObject, name: string, message: string, root: JsonObject, depth: number): Json[] | undefined {
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : 100;
  const type = isJsonObject(schema.items) ? schema.items.type : undefined;
  const messageNumbers = type === 'number' || type === 'integer' ? numbers(message).slice(0, most) : [];
  if (messageNumbers.length >= Math.max(least, 1)) return messageNumbers;
  const item = least > 0 ? guess(schema.items, name, message, root, depth + 1) : null;
  return item === undefined ? undefined : Array.from({ length: least }, () => item);
}

function numeral(schema: JsonObject, message: string, whole: boolean): number | undefined {
  const limit = (key: string, fallback: number) => (typeof schema[key] === 'number' ? (schema[key] as number) : fallback);
  const step = limit('multipleOf', whole ? 1 : 0);
  const fits = (value: number) =>
    value >= limit('minimum', -Infinity) &&
    value > limit('exclusiveMinimum', -Infinity) &&
    value <= limit('maximum', Infinity) &&
    value < limit('exclusiveMaximum', Infinity) &&
    (!whole || Number.isSafeInteger(value)) &&
    (step === 0 || value % step === 0);
  const least = Math.max(limit('minimum', -Infinity), limit('exclusiveMinimum', -Infinity));
  const from = Number.isFinite(least) ? least : 0;
  const unit = step || 1;
  const lowest = Math.ceil(from / unit) * unit;
  // An open schema allows any number; its smallest, -9007199254740991, is no sensible value.
  const sensible = from < -1e9 ? [1, 0] : [lowest, lowest + unit, from];
  return [...numbers(message), ...sensible, 1, 0].find(fits);
}

function text(schema: JsonObject, name: string, message: string): string | undefined {
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : 4000;
  const pattern = typeof schema.pattern === 'string' ? regExp(schema.pattern) : undefined;
  const fits = (value: string) => value.length >= least && value.length <= most && (pattern?.test(value) ?? true);
  const format = typeof schema.format === 'string' ? schema.format : undefined;
  if (format !== undefined) {
    const candidates =
      format === 'email' ? emails(message) : format === 'date' ? dates(message) : /^ur[il]/.test(format) ? urls(message) : [];
    return [...candidates, FORMATS[format] ?? ''].filter(Boolean).find(fits);
  }
  if (pattern !== undefined) {
    const candidates = [
      ...quotations(message),
      ...emails(message),
      ...identifiers(message),
      ...list1(ticker(message)),
      ...words(message),
    ];
    return [...candidates, message.trim(), ...SHAPES].find(fits);
  }
  const guesses = guessByName(name, message);
  if (guesses !== undefined) return guesses.find(fits);
  const spread = message.trim().padEnd(least, '.').slice(0, most);
  return [...quotations(message), ...identifiers(message), spread].find(fits);
}

/** Fields whose name says what they hold. If the message has nothing of the kind, there is nothing to call the tool with. */
function guessByName(name: string, message: string): string[] | undefined {
  if (/path|file|^dir(ectory)?$/i.test(name)) return [...paths(message), ...quotations(message)];
  if (/^(command|cmd|script|code)$/i.test(name)) return quotations(message);
  if (/mail|recipient/i.test(name)) return [...emails(message), FORMATS.email!];
  if (/url|uri|link/i.test(name)) return [...urls(message), FORMATS.uri!];
  if (/(^|_)date(_|$)/i.test(name)) return [...dates(message), FORMATS.date!];
  if (/ticker|symbol/i.test(name)) return [ticker(message) ?? 'AAPL'];
  if (/text|message|body|content|question|prompt|note|query/i.test(name)) return [message.trim()];
  return undefined;
}

function resolve(ref: string, root: JsonObject): Json | undefined {
  if (!ref.startsWith('#/')) return ref === '#' ? root : undefined;
  let at: Json | undefined = root;
  for (const key of ref.slice(2).split('/')) at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

function regExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}

function list1<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
