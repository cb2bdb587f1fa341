/**
 * The tool contract: what an author writes. `defineTool` checks the definition when it is made and
 * names every fault at once; nothing of a wrong tool is found out only when a model calls it.
 */
import type { z } from 'zod';
import type { Json, JsonObject } from '../shared/json';
import type { ToolClass } from '../shared/tool-class';
import { definitionFaults } from './definition-faults';

/** Description by parts (seeds' template); rendered to one text for the model. */
export interface DescriptionParts {
  does: string;
  returns?: string;
  useWhen?: string;
  dontUseFor?: string;
  example?: string;
  warning?: string;
}

/** What a tool's function is given besides its input. */
export interface ToolContext {
  /** The same in every attempt of this call, after a crash, a pause and a reset. Hand it to the upstream. */
  idempotencyKey: string;
  /** From 1. */
  attempt: number;
  /** Aborts on cancellation and on timeout. */
  signal: AbortSignal;
  /** `trace_YYYYMMDD_<12 hex>`, one a turn. */
  traceId: string;
  /** Who asked for the turn. */
  principal: string;
  log: ToolLogger;
  /** Reports progress; reaches watchers through the heartbeat. `fraction` from 0 to 1. */
  progress(message: string, fraction?: number): void;
  store: ToolStore;
}

export interface ToolLogger {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

/** The results of this turn (or its session) that were too large to go inline. */
export interface ToolStore {
  /** @throws ToolError RESOURCE_NOT_FOUND when the reference is unknown or belongs to another turn */
  readResult(ref: string): Promise<Json>;
}

/** What a check answers when it refuses an input that fits the schema. */
export interface CheckFault {
  reason: string;
  message: string;
  hint?: string;
}

export interface ToolDefinition<I = JsonObject> {
  /** `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`; snake_case advised. */
  name: string;
  /** Semantic version. */
  version: string;
  class: ToolClass;
  description: string | DescriptionParts;
  /** zod object, or JSON Schema (draft-07 or 2020-12) of type object. Extra properties are refused; defaults are applied. */
  input: z.ZodType<I> | JsonObject;
  /** The tool's own admission check, after the schema. Pure: no I/O. */
  check?(input: I): CheckFault | undefined;
  /** Destructive: what will happen, in words for the person who decides. Read-only; part of the digest. */
  preview?(input: I, ctx: ToolContext): string | Json | Promise<string | Json>;
  run(input: I, ctx: ToolContext): unknown | Promise<unknown> | AsyncGenerator<ToolProgress, unknown>;
  /** Time limit of one run, ms. Default: by class. */
  timeoutMs?: number;
  /** Reads only: how long a result may be served again, ms. Absent: not cached. */
  cacheTtlMs?: number;
  /** `write`: may a call with this input run beside others? */
  concurrencySafe?(input: I): boolean;
  /** Destructive: the upstream honours the idempotency key, so that a repetition is harmless. */
  idempotent?: boolean;
  /** Largest result that travels inline, bytes of JSON. Default 2048; larger goes into the store. */
  maxInlineBytes?: number;
  /** One line about a large result, for people and for the model. Default: its shape and first characters. */
  summarize?(data: Json, input: I): string;
}

/** What a generator tool yields. */
export interface ToolProgress {
  message: string;
  fraction?: number;
}

/** A checked definition. */
export interface Tool<I = any> extends ToolDefinition<I> {
  readonly [TOOL]: true;
}

const TOOL = Symbol.for('holdfast.tool');

/**
 * Checks and brands a tool definition.
 * @throws Error that lists every fault of the definition
 */
export function defineTool<S extends z.ZodType>(
  definition: Omit<ToolDefinition<z.output<S>>, 'input'> & { input: S },
): Tool<z.output<S>>;
export function defineTool<I = any>(definition: Omit<ToolDefinition<I>, 'input'> & { input: JsonObject }): Tool<I>;
export function defineTool(definition: ToolDefinition<any>): Tool {
  const faults = definitionFaults(definition);
  if (faults.length > 0) {
    throw new Error(`Tool ${JSON.stringify(definition?.name)} is not well defined:\n- ${faults.join('\n- ')}`);
  }
  return Object.freeze({ ...definition, [TOOL]: true as const });
}

/** True for what `defineTool` returned, whichever copy of this package made it. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && TOOL in value;
}
