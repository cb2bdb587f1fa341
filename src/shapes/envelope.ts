/** The envelope of every tool result. Wire format: snake_case. */
import { z } from 'zod';
import { ERROR_KINDS, type ErrorCode, ERROR_CODES } from '../shared/wire/error-codes';
import type { Json, JsonObject } from '../shared/json/json';

// JSON of any shape: a tool's input, its result.

export const json = z.unknown() as z.ZodType<Json>;
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>;

// The error of a call: in an envelope, in a view, and as the model reads it.

export const callError = z.object({
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).describe('Of a small set, such as `INVALID_PARAMS`.'),
  kind: z.enum(ERROR_KINDS),
  reason: z.string().describe('snake_case, for programs: `ticker_not_found`.'),
  message: z.string(),
  retryable: z.boolean(),
  hint: z.string().optional().describe('What to do about it.'),
  retry_after_ms: z.number().optional().describe('How long the upstream asked to wait.'),
  details: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('Further facts, such as every place where an input does not fit.'),
  replacement: z.string().optional().describe('With TOOL_DEPRECATED: the tool to use instead.'),
  sunset_date: z.string().optional().describe('With TOOL_DEPRECATED: since when it is no more.'),
  migration_guide: z.string().optional().describe('With TOOL_DEPRECATED: address or text.'),
});
export type CallError = z.infer<typeof callError>;

const deprecation = z.object({
  sunset_date: z.string().nullable().describe('First day on which calls are refused, `YYYY-MM-DD`, UTC.'),
  replacement: z.string().nullable(),
  migration_guide: z.string().nullable().describe('Address or text.'),
});

const hookNote = z.object({
  hook: z.string(),
  note: z.string().optional().describe('What it said of the result; the model reads it.'),
  error: z.string().optional().describe('How it failed.'),
});

const metadata = z
  .object({
    tool_name: z.string(),
    tool_version: z.string(),
    execution_time_ms: z.number(),
    timestamp: z.string().describe('ISO 8601.'),
    trace_id: z.string(),
    performance: z.object({ validation_ms: z.number(), network_ms: z.number(), processing_ms: z.number() }),
    cache: z.object({
      hit: z.boolean(),
      cached_at: z.string().optional(),
      ttl_remaining: z.number().optional().describe('Seconds.'),
      shared: z.boolean().optional().describe('It is the result of an identical call that ran at that moment.'),
    }),
    hooks: z.array(hookNote).optional().describe('What after-hooks said.'),
    metacognition: z
      .object({ checked: z.boolean(), needs_correction: z.boolean(), correction: z.string().optional() })
      .optional(),
    debug: z.literal('not_allowed').optional().describe('The call asked for `debug_info`, and this worker gives none.'),
    deprecation: deprecation.optional().describe('Of a tool that is on its way out.'),
  })
  .describe('After-hooks may add fields of their own names.');

const debugInfo = z
  .object({
    cache_hit: z.boolean(),
    retry_count: z.number().describe('Attempts after the first one.'),
    execution_time_ms: z.number(),
    attempts: z.number(),
    worker: z.string().describe('The worker process, `pid@host`, as Temporal names it.'),
    notes: z.array(json).describe('What the tool said through `ctx.debug`, without secrets.'),
  })
  .describe('For debugging a tool; only if the worker’s setting HOLDFAST_DEBUG_INFO allows it.');

export const successEnvelope = z.object({
  success: z.literal(true),
  status: z.literal('success'),
  data: json.describe('What the tool gave.'),
  metadata,
  debug_info: debugInfo.optional(),
});
export const errorEnvelope = z.object({
  success: z.literal(false),
  status: z.literal('error'),
  error: callError,
  metadata,
  debug_info: debugInfo.optional(),
});
export const envelope = z.discriminatedUnion('success', [successEnvelope, errorEnvelope]);

export type Deprecation = z.infer<typeof deprecation>;
export type HookNote = z.infer<typeof hookNote>;
export type EnvelopeMetadata = z.infer<typeof metadata>;
export type DebugInfo = z.infer<typeof debugInfo>;
export type Envelope = z.infer<typeof envelope>;
