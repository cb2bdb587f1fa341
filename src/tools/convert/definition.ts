/**
 * Converts a tool's definition to JSON and back, for other programs, for files and for the comparison of versions. The JSON leaves
 * out functions (run, check, preview…) and their settings. Names are snake_case; `cache_ttl` is in seconds, other durations in ms.
 */
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../shared/wire/error-codes';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { TOOL_CLASSES } from '../../shared/turn/tool-class';
import { defineTool } from '../define/define';
import { describe, DESTRUCTIVE_NOTE, inputTokens } from '../define/model-text';
import { inputSchema, outputSchema } from '../schema/schema';
import { ConversionError } from './conversion';
import { DEFINITION_BOUNDS, plainJson } from './plain-json';
import type { Tool } from '../define/tool';
import { optional } from '../../shared/json/optional';

const text = z.string().max(20_000);
const tokens = z.number().int().min(0);
const jsonSchema = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));

const DEFINITION = z.strictObject({
  name: z.string().max(64),
  /** The rendered text that the model reads. */
  description: text,
  /** The parts of the description, where the author wrote it in parts. */
  description_parts: z
    .strictObject({
      does: text,
      returns: text.optional(),
      use_when: text.optional(),
      dont_use_for: text.optional(),
      example: text.optional(),
      warning: text.optional(),
    })
    .optional(),
  parameters: jsonSchema,
  /** True: extra properties are refused. */
  strict: z.boolean().default(true),
  version: z.string().max(100),
  /** Absent: destructive, so that every call needs approval and no result is cached. */
  class: z.enum(TOOL_CLASSES).default('destructive'),
  changelog: z.record(z.string(), text).optional(),
  group: text.optional(),
  cacheable: z.boolean().default(false),
  /** Seconds. */
  cache_ttl: z.number().positive().optional(),
  cache_key_params: z.array(z.string()).optional(),
  streaming: z.boolean().default(false),
  estimated_tokens: z
    .strictObject({ input: tokens, output: z.strictObject({ min: tokens.default(0), typical: tokens, max: tokens }) })
    .optional(),
  deprecated: z.boolean().default(false),
  sunset_date: text.optional(),
  replacement: text.optional(),
  migration_guide: text.optional(),
  limits: z
    .strictObject({
      concurrency: z.number().optional(),
      rate: z.strictObject({ calls: z.number(), per_ms: z.number() }).optional(),
    })
    .optional(),
  egress: z.boolean().default(false),
  untrusted_output: z.boolean().default(false),
  idempotent: z.boolean().default(false),
  internal_only: z.boolean().default(false),
  environments: z.array(z.string()).optional(),
  timeout_ms: z.number().optional(),
  max_inline_bytes: z.union([z.number(), z.literal('unlimited')]).optional(),
  output: jsonSchema.optional(),
  errors: z.array(z.strictObject({ code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode]), reason: text, when: text })).optional(),
});

/** A tool's definition on the wire. */
export type ToolJson = z.output<typeof DEFINITION>;
/** The same as it may be written: fields with a default may be left out. */
export type ToolJsonInput = z.input<typeof DEFINITION>;

const GENERATOR = Object.getPrototypeOf(async function* () {}).constructor;

/** Converts a tool's definition to JSON. */
export function toolDefinition(tool: Tool): ToolJson {
  const parameters = inputSchema(tool.input);
  const { description } = tool;
  return dropUndefinedFields({
    name: tool.name,
    description: describe(tool),
    description_parts:
      typeof description === 'string'
        ? undefined
        : dropUndefinedFields({
            does: description.does,
            returns: description.returns,
            use_when: description.useWhen,
            dont_use_for: description.dontUseFor,
            example: description.example,
            warning: description.warning,
          }),
    parameters,
    strict: parameters.additionalProperties === false || parameters.unevaluatedProperties === false,
    version: tool.version,
    class: tool.class,
    changelog: tool.changelog,
    group: tool.group,
    cacheable: tool.cacheTtlMs !== undefined,
    cache_ttl: tool.cacheTtlMs === undefined ? undefined : tool.cacheTtlMs / 1000,
    cache_key_params: tool.cacheKeyParams,
    streaming: tool.streaming ?? tool.run instanceof GENERATOR,
    estimated_tokens: tool.estimatedTokens,
    deprecated: tool.deprecated ?? false,
    sunset_date: tool.sunsetDate,
    replacement: tool.replacement,
    migration_guide: tool.migrationGuide,
    limits: tool.limits && {
      ...optional({ concurrency: tool.limits.concurrency }),
      ...(tool.limits.rate === undefined ? {} : { rate: { calls: tool.limits.rate.calls, per_ms: tool.limits.rate.perMs } }),
    },
    egress: tool.egress ?? false,
    untrusted_output: tool.untrustedOutput ?? false,
    idempotent: tool.idempotent ?? false,
    internal_only: tool.internalOnly ?? false,
    environments: tool.environments,
    timeout_ms: tool.timeoutMs,
    max_inline_bytes: tool.maxInlineBytes,
    output: tool.output === undefined ? undefined : outputSchema(tool.output),
    errors: tool.errors,
  });
}

/** The functions that a JSON definition lacks, except `run`. */
export type ToolFunctions = Pick<Tool, 'check' | 'preview' | 'concurrencySafe' | 'ruleTarget' | 'summarize' | 'target'>;

/**
 * Makes a tool from its JSON definition and its functions.
 * @throws ConversionError that lists every fault of the JSON; Error as from `defineTool`
 */
export function toolFromDefinition(json: unknown, run: Tool['run'], functions: ToolFunctions = {}): Tool {
  const from = parseDefinition(json);
  return defineTool(
    dropUndefinedFields({
      ...functions,
      run,
      name: from.name,
      version: from.version,
      class: from.class,
      description: descriptionOf(from),
      input: from.parameters,
      changelog: from.changelog,
      group: from.group,
      cacheTtlMs: from.cacheable && from.cache_ttl !== undefined ? from.cache_ttl * 1000 : undefined,
      cacheKeyParams: from.cache_key_params,
      streaming: from.streaming,
      estimatedTokens: from.estimated_tokens,
      deprecated: from.deprecated || undefined,
      sunsetDate: from.sunset_date,
      replacement: from.replacement,
      migrationGuide: from.migration_guide,
      limits: from.limits && {
        ...optional({ concurrency: from.limits.concurrency }),
        ...(from.limits.rate ? { rate: { calls: from.limits.rate.calls, perMs: from.limits.rate.per_ms } } : {}),
      },
      egress: from.egress || undefined,
      untrustedOutput: from.untrusted_output || undefined,
      idempotent: from.idempotent || undefined,
      internalOnly: from.internal_only || undefined,
      environments: from.environments,
      timeoutMs: from.timeout_ms,
      maxInlineBytes: from.max_inline_bytes,
      output: from.output,
      errors: from.errors,
    }),
  );
}

/** Default for `cache_ttl` of a cacheable tool, seconds; from the tool specification. */
const CACHE_TTL = 600;
const CACHING = ['cacheable', 'cache_ttl', 'cache_key_params'];

/** Expands the short forms that the tool specification allows. */
function writtenOut(json: unknown): unknown {
  if (!isJsonObject(json as Json)) return json;
  const fields: JsonObject = { ...(json as JsonObject) };
  const { estimated_tokens: output, parameters } = fields;
  if (fields.class === undefined) for (const field of CACHING) delete fields[field];
  else if (fields.cacheable === true) fields.cache_ttl ??= CACHE_TTL;
  if (fields.deprecated !== true) delete fields.sunset_date; // only a deprecated tool has one
  if (typeof output === 'number') {
    const input = isJsonObject(parameters ?? null) ? inputTokens(parameters as JsonObject) : 0;
    fields.estimated_tokens = { input, output: { min: output, typical: output, max: output } };
  }
  return fields;
}

/**
 * Checks a JSON definition and fills in its defaults. Unknown fields are faults: otherwise a misspelled `cache_ttl`
 * would go unnoticed.
 * @throws ConversionError that lists every fault
 */
export function parseDefinition(json: unknown): ToolJson {
  const parsed = DEFINITION.safeParse(writtenOut(plainJson(json, DEFINITION_BOUNDS, 'The definition')));
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${pointer(issue.path)}: ${issue.message}`);
    throw new ConversionError(`The definition is not usable:\n- ${faults.join('\n- ')}`);
  }
  const { data } = parsed;
  if (data.cacheable !== (data.cache_ttl !== undefined)) {
    throw new ConversionError('The definition is not usable:\n- /cache_ttl: cacheable and cache_ttl (seconds) come together');
  }
  if (!data.strict && data.parameters.additionalProperties === undefined) {
    const parameters: JsonObject = { ...data.parameters, additionalProperties: true };
    return { ...data, parameters }; // without this, the schema would be closed against extra properties
  }
  return data;
}

function descriptionOf(from: ToolJson): Tool['description'] {
  const parts = from.description_parts;
  if (!parts) return from.description.startsWith(NOTE) ? from.description.slice(NOTE.length) : from.description;
  return dropUndefinedFields({
    does: parts.does,
    returns: parts.returns,
    useWhen: parts.use_when,
    dontUseFor: parts.dont_use_for,
    example: parts.example,
    warning: parts.warning,
  });
}

const NOTE = `${DESTRUCTIVE_NOTE}\n`;

function pointer(path: PropertyKey[]): string {
  return path.length === 0 ? '(the whole)' : `/${path.map(String).join('/')}`;
}

function dropUndefinedFields<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
