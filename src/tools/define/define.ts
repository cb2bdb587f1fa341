/**
 * `defineTool`: checks a tool definition (tool.ts) and reports every fault at once, when the tool is defined and not only when a
 * model calls it.
 */
import { inspect } from 'node:util';
import type { z } from 'zod';
import { ASK_PERSON } from '../../shared/approval/person-question';
import { GIVE_RESULT } from '../../shared/turn/result';
import { WAIT_UNTIL } from '../../shared/turn/turn-states';
import { type JsonObject, isJsonObject, unknownFields } from '../../shared/json/json';
import { defaultsOf } from '../schema/defaults';
import { compiledInput, compileOutput, isZod, outputSchema, copyAsJson } from '../schema/schema';
import { TOOL, type Tool, type ToolDefinition } from './tool';
import { FIELDS, strayFields, asyncPlace } from './fields';

type DefinitionBody<I, R> = Omit<ToolDefinition<I, R>, 'input' | 'output'>;

// oxlint-disable-next-line typescript/no-explicit-any -- only the definition's own schema knows its input
type AnyDefinition = ToolDefinition<any>;

/**
 * Checks and brands a tool definition.
 * @throws Error that lists every fault of the definition
 * @example
 * const payInvoice = defineTool({
 *   name: 'pay_invoice',
 *   version: '1.0.0',
 *   class: 'destructive',
 *   description: { does: 'Pays an invoice.', returns: 'What was paid.' },
 *   input: z.object({ invoice: z.string(), cents: z.number().int() }),
 *   run: ({ invoice, cents }, { idempotencyKey }) => bank.pay({ invoice, cents, idempotencyKey }),
 * });
 */
export function defineTool<S extends z.ZodType, O extends z.ZodType>(
  definition: DefinitionBody<z.output<S>, z.output<O>> & { input: S; output?: O | JsonObject },
): Tool<z.output<S>>;
// oxlint-disable-next-line typescript/no-explicit-any -- a JSON Schema gives no type: the author's functions say what they take
export function defineTool<I = any, O extends z.ZodType = z.ZodType>(
  definition: DefinitionBody<I, z.output<O>> & { input: JsonObject; output?: O | JsonObject },
): Tool<I>;
export function defineTool(definition: AnyDefinition): Tool {
  return buildTool(definition, false);
}

/** As `defineTool`, for holdfast's own tools, whose names no other tool may have. */
export function defineBuiltIn<S extends z.ZodType, O extends z.ZodType>(
  definition: DefinitionBody<z.output<S>, z.output<O>> & { input: S; output?: O | JsonObject },
): Tool<z.output<S>>;
export function defineBuiltIn(definition: DefinitionBody<unknown, unknown> & { input: JsonObject }): Tool;
export function defineBuiltIn(definition: AnyDefinition): Tool {
  return buildTool(definition, true);
}

function buildTool(source: AnyDefinition, isReserved: boolean): Tool {
  const { definition, faults } = readDefinition(source, { isReserved });
  if (faults.length > 0) throw new Error(`Tool ${formatValue(definition.name)} is not well defined:\n- ${faults.join('\n- ')}`);
  return Object.freeze({ ...definition, [TOOL]: true as const });
}

// Reads a tool definition and lists all of its faults. It never throws, whatever value it is given.

/** Input fields with these names would let the model approve its own call. */
const DECISION_FIELDS = ['confirmed', 'user_confirmed', 'approved'];
/** Names of holdfast's own tools. */
const RESERVED_NAMES = ['read_result', 'find_tools', 'open_group', ASK_PERSON, WAIT_UNTIL, GIVE_RESULT];
/** The last three occur where a definition is copied from a tool that `agentTool`, `askPerson` or `waitUntil` made. */
const KNOWN_FIELDS = [...Object.keys(FIELDS), 'input', 'output', 'subAgent', 'question', 'wait'];
/** Most places within one field that a message names. */
const MOST_PLACES = 10;

export interface Read {
  /** The definition's fields, each read once; a JSON Schema in it is a copy. */
  definition: AnyDefinition;
  faults: string[];
}

/** Reads a definition, and lists every fault as a message that says what to change. */
export function readDefinition(source: unknown, options: { isReserved?: boolean } = {}): Read {
  const { fields, faults } = snapshot(source);
  const definition = fields as unknown as AnyDefinition;
  if (faults.length > 0) return { definition, faults };
  const fault = (condition: boolean, text: string) => condition && faults.push(text);

  for (const [name, [schema, words]] of Object.entries(FIELDS)) {
    const places = wrongPlaces(name, schema, fields[name]);
    if (places.length === 0) continue;
    const within = places.filter((place) => place !== name);
    const where = within.length > 0 ? `; look at ${within.slice(0, MOST_PLACES).join(', ')}` : '';
    faults.push(`${name} must ${words}; it is ${formatValue(fields[name])}${where}`, ...strayFields(schema, fields[name], name));
  }
  fault(
    options.isReserved !== true && RESERVED_NAMES.includes(definition.name),
    `name ${formatValue(definition.name)} is a tool that holdfast brings along; choose another`,
  );
  fault(
    definition.cacheTtlMs !== undefined && definition.class !== 'read',
    `cacheTtlMs is for class read, not ${formatValue(definition.class)}`,
  );
  fault(
    definition.preview !== undefined && definition.class !== 'destructive' && definition.class !== 'write',
    `preview is for tools with effects, not class ${formatValue(definition.class)}`,
  );
  for (const name of ['reconcile', 'intentKey'] as const) {
    fault(
      definition[name] !== undefined && definition.class !== 'destructive',
      `${name} is for class destructive, not ${formatValue(definition.class)}`,
    );
  }
  fault(definition.reconcileMs !== undefined && definition.reconcile === undefined, 'reconcileMs is given without reconcile');
  fault(
    definition.intentWindowMs !== undefined && definition.intentKey === undefined,
    'intentWindowMs is given without intentKey',
  );
  fault(
    definition.previewTolerance !== undefined && definition.preview === undefined,
    'previewTolerance is given without preview',
  );
  fault(definition.idempotent === true && definition.class !== 'destructive', 'idempotent is for class destructive');
  fault(
    definition.cacheKeyParams !== undefined && definition.cacheTtlMs === undefined,
    'cacheKeyParams needs cacheTtlMs: without it nothing is cached',
  );
  fault(
    definition.sunsetDate !== undefined && definition.deprecated !== true,
    'sunsetDate is for deprecated tools: set deprecated: true, or leave it out',
  );
  faults.push(...unknownFields(fields, KNOWN_FIELDS), ...inputFaults(fields, options), ...outputFaults(fields));
  return { definition, faults };
}

/** Reads each field once: a getter may throw, or return another value the next time. */
function snapshot(source: unknown): { fields: Record<string, unknown>; faults: string[] } {
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const faults: string[] = [];
  if (typeof source !== 'object' || source === null) return { fields, faults: ['a tool definition must be an object'] };
  try {
    for (const name of Object.keys(source)) {
      try {
        fields[name] = (source as Record<string, unknown>)[name];
      } catch (error) {
        faults.push(`${name} cannot be read: ${messageOf(error)}`);
      }
    }
  } catch (error) {
    faults.push(`a tool definition must be a plain object: ${messageOf(error)}`);
  }
  return { fields, faults };
}

/** The places where a value does not fit, such as `errors[0].code`; the field's name when the whole value is wrong. */
function wrongPlaces(name: string, schema: (typeof FIELDS)[keyof typeof FIELDS][0], value: unknown): string[] {
  try {
    const { error } = schema.safeParse(value);
    return (error?.issues ?? []).map(({ path }) => path.reduce<string>(below, name));
  } catch {
    return [name]; // a nested getter threw
  }
}

function below(place: string, key: PropertyKey): string {
  return typeof key === 'number' ? `${place}[${key}]` : `${place}.${String(key).slice(0, 100)}`;
}

function inputFaults(fields: Record<string, unknown>, { isReserved = false }: { isReserved?: boolean }): string[] {
  const { input, cacheKeyParams } = fields;
  try {
    if (!isZod(input) && !isJsonObject(input))
      return [`input must be a zod object or a JSON Schema; it is ${formatValue(input)}`];
    fields.input = isZod(input) ? input : copyAsJson(input);
    const { schema } = compiledInput(fields.input as JsonObject);
    if (schema.type !== 'object') return [`input must be a schema of type object; its type is ${formatValue(schema.type)}`];
    const names = Object.keys((schema.properties ?? {}) as object);
    const unknown = Array.isArray(cacheKeyParams) ? cacheKeyParams.filter((name) => !names.includes(name as string)) : [];
    return [
      // A result may say that something was approved: no call of a tool with effects depends on it.
      ...DECISION_FIELDS.filter((field) => !isReserved && names.includes(field)).map(
        (field) => `input has a field ${field}: an approval is a person's decision, never a field that the model sets`,
      ),
      ...asyncFaults(input),
      ...defaultsOf(schema).unfit.map(({ path, message }) => `input${path} ${message}`),
      ...unknown.map((name) => `cacheKeyParams names ${formatValue(name)}, which is no property of input`),
    ];
  } catch (error) {
    return [`input is not a usable schema: ${messageOf(error)}`];
  }
}

function asyncFaults(input: unknown): string[] {
  const place = isZod(input) ? asyncPlace(input) : null;
  if (place === null) return [];
  return [
    `input has an asynchronous refinement or transform at ${place || '/'}: it must answer at once; wait in run, or in preview`,
  ];
}

function outputFaults(fields: Record<string, unknown>): string[] {
  const { output } = fields;
  try {
    if (output === undefined) return [];
    if (!isZod(output) && !isJsonObject(output))
      return [`output must be a zod schema or a JSON Schema; it is ${formatValue(output)}`];
    fields.output = isZod(output) ? output : copyAsJson(output);
    compileOutput(outputSchema(fields.output as JsonObject));
    return [];
  } catch (error) {
    return [`output is not a usable schema: ${messageOf(error)}`];
  }
}

/** A value as short text for a message; never throws. */
export function formatValue(value: unknown): string {
  try {
    if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
    const options = { depth: 1, breakLength: Infinity, maxArrayLength: 5, maxStringLength: 60, customInspect: false };
    return inspect(value, options).slice(0, 200);
  } catch {
    return 'something that cannot be shown';
  }
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message).slice(0, 500) : formatValue(error);
  } catch {
    return 'it throws';
  }
}
