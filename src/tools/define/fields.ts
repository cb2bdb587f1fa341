/** Declares the fields of a tool definition: for each a zod schema, and the message for a value that does not fit. */
import { types } from 'node:util';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../shared/wire/error-codes';
import { TOOL_CLASSES } from '../../shared/turn/tool-class';
import { unknownFields } from '../../shared/json/json';
import type { ToolDefinition } from './tool';
import { isVersion } from './versions';

const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const GROUP = /^[a-z][a-z0-9_-]{0,63}$/;
const ENVIRONMENT = /^[A-Za-z0-9._-]{1,64}$/;
const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];
const DAY = 86_400_000;
/** Longest text in a definition, characters. */
const LONGEST_TEXT = 20_000;
/** Upper limit for `maxInlineBytes`: the model's context and the engine's memory can hold results of this size. */
const MOST_INLINE_BYTES = 200_000;

const text = z.string().max(LONGEST_TEXT).regex(/\S/);
const whole = (from: number, to: number) => z.number().int().min(from).max(to);
const version = z.string().max(256).refine(isVersion);
const callable = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function');
const tokens = whole(0, 10_000_000);
const parts = z.strictObject({
  does: text,
  returns: text.optional(),
  useWhen: text.optional(),
  dontUseFor: text.optional(),
  example: text.optional(),
  warning: text.optional(),
});

type Field = readonly [schema: z.ZodType, words: string];

/** `input` and `output` are checked separately, as schemas (define.ts). */
export const FIELDS: Record<Exclude<keyof ToolDefinition, 'input' | 'output'>, Field> = {
  name: [z.string().regex(TOOL_NAME), `match ${TOOL_NAME.source}`],
  version: [version, 'be a semantic version such as 1.0.0'],
  class: [z.enum(TOOL_CLASSES), `be one of ${TOOL_CLASSES.join(', ')}`],
  description: [
    z.union([text, parts]),
    'say what the tool does: a text, or parts {does, returns, useWhen, dontUseFor, example, warning}',
  ],
  check: [callable.optional(), 'be a function'],
  preview: [callable.optional(), 'be a function'],
  run: [callable, 'be a function'],
  isolate: [z.boolean().optional(), 'be true or false'],
  timeoutMs: [whole(1, DAY).optional(), `be a whole number of milliseconds from 1 to ${DAY} (a day)`],
  cacheTtlMs: [whole(1, 366 * DAY).optional(), `be a whole number of milliseconds from 1 to ${366 * DAY} (a year)`],
  cacheKeyParams: [
    z.array(z.string().min(1)).max(100).refine(allDifferent).optional(),
    'be a list of different names of input properties',
  ],
  concurrencySafe: [callable.optional(), 'be a function'],
  reconcile: [callable.optional(), 'be a function'],
  poll: [callable.optional(), 'be a function'],
  reconcileMs: [whole(1, DAY).optional(), `be a whole number of milliseconds from 1 to ${DAY} (a day)`],
  previewTolerance: [callable.optional(), 'be a function'],
  intentKey: [callable.optional(), 'be a function'],
  intentWindowMs: [whole(1, 31 * DAY).optional(), `be a whole number of milliseconds from 1 to ${31 * DAY} (31 days)`],
  idempotent: [z.boolean().optional(), 'be true or false'],
  strict: [z.boolean().optional(), 'be true or false'],
  maxInlineBytes: [
    z.union([whole(1, MOST_INLINE_BYTES), z.literal('unlimited')]).optional(),
    `be a whole number of bytes from 1 to ${MOST_INLINE_BYTES}, or 'unlimited'`,
  ],
  limits: [
    z
      .strictObject({
        concurrency: whole(1, 10_000).optional(),
        rate: z.strictObject({ calls: whole(1, 1_000_000), perMs: whole(1, DAY) }).optional(),
      })
      .optional(),
    `be {concurrency?: 1 to 10000, rate?: {calls: 1 to 1000000, perMs: 1 to ${DAY}}}, whole numbers`,
  ],
  egress: [z.boolean().optional(), 'be true or false'],
  untrustedOutput: [z.boolean().optional(), 'be true or false'],
  target: [
    z.union([z.record(z.string(), z.json()), callable]).optional(),
    "be an object that says what the tool acts on, such as {account: 'DE…'}, or a function that gives one",
  ],
  ruleTarget: [
    z
      .strictObject({
        kind: z.enum(['path', 'text', 'command']),
        of: callable,
        hashOf: callable.optional(),
        protects: z.array(z.string()).optional(),
      })
      .optional(),
    'be {kind: path, text or command, of: a function, hashOf?: a function, protects?: a list of names}',
  ],
  group: [z.string().regex(GROUP).optional(), `match ${GROUP.source}`],
  internalOnly: [z.boolean().optional(), 'be true or false'],
  environments: [
    z.array(z.string().regex(ENVIRONMENT)).min(1).max(100).refine(allDifferent).optional(),
    `be a list of different names that match ${ENVIRONMENT.source}; leave it out for all environments`,
  ],
  streaming: [z.boolean().optional(), 'be true or false'],
  estimatedTokens: [
    z
      .strictObject({ input: tokens, output: z.strictObject({ min: tokens, typical: tokens, max: tokens }) })
      .refine(({ output }) => output.min <= output.typical && output.typical <= output.max)
      .optional(),
    'be {input, output: {min, typical, max}}, whole numbers from 0, min ≤ typical ≤ max',
  ],
  changelog: [z.record(version, text).optional(), 'give a text for each semantic version, such as {"1.0.0": "First version"}'],
  deprecated: [z.boolean().optional(), 'be true or false'],
  sunsetDate: [z.iso.date().optional(), 'be a date that exists, YYYY-MM-DD'],
  replacement: [z.string().regex(TOOL_NAME).optional(), 'be the name of a tool'],
  migrationGuide: [z.string().max(2000).regex(/\S/).optional(), 'be an address or a text of at most 2000 characters'],
  errors: [
    z
      .array(z.strictObject({ code: z.enum(CODES), reason: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), when: text }))
      .max(50)
      .optional(),
    `be a list of {code, reason: snake_case, when: a text}; a code is one of ${CODES.join(', ')}`,
  ],
  summarize: [callable.optional(), 'be a function'],
};

function allDifferent(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

// Finds unknown fields in the parts of a definition, with the zod schemas that check those parts.

/** One fault for each unknown field, at any depth. Empty where a getter throws: the schema check reports that. */
export function strayFields(schema: unknown, value: unknown, at: string): string[] {
  try {
    return look(schema, value, at);
  } catch {
    return [];
  }
}

function look(schema: unknown, value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return look(schema.unwrap(), value, at);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => look(option, value, at));
  if (schema instanceof z.ZodArray)
    return Array.isArray(value) ? value.flatMap((one, index) => look(schema.element, one, `${at}[${index}]`)) : [];
  const below = (name: string) => (at === '' ? name : `${at}.${name.slice(0, 100)}`);
  if (schema instanceof z.ZodRecord)
    return Object.entries(value).flatMap(([name, one]) => look(schema.valueType, one, below(name)));
  if (!(schema instanceof z.ZodObject)) return [];
  const parts = Object.entries(schema.shape).flatMap(([name, part]) =>
    look(part, (value as Record<string, unknown>)[name], below(name)),
  );
  return [...unknownFields(value, Object.keys(schema.shape), at), ...parts];
}

// Finds asynchronous parts of a zod schema: admission checks inputs synchronously. Only `async` functions can be detected.

/** Path to the first asynchronous refinement or transform, such as `/list`; null: none was found. */
export function asyncPlace(schema: unknown, path = '', visitedNodes = new Set<unknown>()): string | null {
  if (typeof schema !== 'object' || schema === null || visitedNodes.has(schema)) return null;
  visitedNodes.add(schema);
  const { _zod: zod } = schema as { _zod?: { def?: Record<string, unknown> } };
  if (zod === undefined) {
    // It may be a list, a shape or a map of schemas.
    for (const [name, part] of Object.entries(schema)) {
      const place = asyncPlace(part, Array.isArray(schema) ? path : `${path}/${name}`, visitedNodes);
      if (place !== null) return place;
    }
    return null;
  }
  for (const part of Object.values(zod.def ?? {})) {
    if (types.isAsyncFunction(part)) return path;
    const place = asyncPlace(part, path, visitedNodes);
    if (place !== null) return place;
  }
  return null;
}
