/** The tool contract: what an author writes, and what `defineTool` makes of it. */
import type { z } from 'zod';
import type { ErrorCode } from '../../shared/wire/error-codes';
import type { Json, JsonObject } from '../../shared/json/json';
import type { TargetKind } from '../../rules';
import type { ToolClass } from '../../shared/turn/tool-class';
import type { Resources } from '../../shared/turn/calls';
import type { Cursors } from '../results/pages';
import type { AgentLimits } from '../../agents/limits';
import type { BinaryFile, FileResult } from '../results/binary';

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
  /** Aborts on cancellation and on timeout. Asked whether it has, it looks at the clocks: also right after a standstill. */
  signal: AbortSignal;
  /** When the time limit ends, ms since 1970: a tool must not act after it. For the time limits of its requests. */
  deadline: number;
  /** `trace_YYYYMMDD_<12 hex>`, one a turn. */
  traceId: string;
  /** Who asked for the turn. */
  principal: string;
  log: ToolLogger;
  /** Reports progress; reaches watchers through the heartbeat. `fraction` from 0 to 1. */
  progress(message: string, fraction?: number): void;
  /** Runs work that waits for an upstream; its time is shown as `performance.network_ms`. */
  network<T>(work: () => Promise<T>): Promise<T>;
  /** Facts for whoever debugs the tool; they reach the envelope's `debug_info` only where debugging is allowed. */
  debug(fields: JsonObject): void;
  /** Opaque page cursors, sealed for this tool and this principal. */
  cursors: Cursors;
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
  /** Keeps what is too much for a result, e.g. the whole output of a command; the model reads it with read_result. Returns the ref. */
  keepResult(data: Json): Promise<string>;
}

/** What one call costs of the model's context, tokens. */
export interface TokenEstimate {
  input: number;
  output: { min: number; typical: number; max: number };
}

export interface ToolLimits {
  /** Calls of this tool at once, over all workers that share the store. */
  concurrency?: number;
  /** Calls of this tool that may begin within a window, over all workers that share the store. */
  rate?: { calls: number; perMs: number };
}

/** What permission rules such as `edit_file(/src/**)` compare with. */
export interface RuleTarget<I> {
  kind: TargetKind;
  /** Pure. An allow rule has to match all of them, an ask or deny rule any. */
  of(input: I): string | string[];
  /** Of a tool that runs commands: SHA-256 of a file as it is now, by its path from the tool's root; null: there is none. Brief. */
  hashOf?(path: string): string | null;
  /** Of a tool over files: names that it never writes, whatever rules say. */
  protects?: readonly string[];
}

/** A failure that whoever uses a tool should know of. */
export interface TypicalError {
  code: ErrorCode;
  /** The tool's own word, as its ToolError gives it. */
  reason: string;
  /** When it happens, and what to do. */
  when: string;
}

/** What a check answers when it refuses an input that fits the schema. */
export interface CheckFault {
  reason: string;
  message: string;
  hint?: string;
}

/**
 * What a tool's functions get is `I`: of zod the schema's output. It is read anew for each of them: transforms are pure, and do not wait.
 * @typeParam R what `run` returns: what a zod `output` describes; unknown without one
 */
export interface ToolDefinition<I = JsonObject, R = unknown> {
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
  /** Given zod's output where the input is zod. */
  run(input: I, ctx: ToolContext): RunReturn<R> | Promise<RunReturn<R>> | AsyncGenerator<ToolYield, unknown>;
  /**
   * Runs `run`, `preview` and `reconcile` in a thread that loads the app's module, and is ended at the time limit: a tool that computes
   * without a pause, or takes too much memory, harms nobody else (docs/tools.md). The other functions stay on the worker's own thread.
   */
  isolate?: boolean;
  /** What `run` returns, checked before anybody reads it; a violation is EXECUTION_ERROR, for the tool's owner. */
  output?: z.ZodType | JsonObject;
  /** Time limit of one run, ms. Default: by class. */
  timeoutMs?: number;
  /** Reads only: how long a result may be served again, ms. Absent: not cached. */
  cacheTtlMs?: number;
  /** The input fields that a cached result depends on. Default: all. */
  cacheKeyParams?: string[];
  /**
   * May a call with this input run beside others? Not the same as read-only: `true` beside any, `false` beside none,
   * or what it touches, so that it runs beside whatever touches something else. Default: by class.
   */
  concurrencySafe?(input: I): boolean | Resources;
  /**
   * Destructive: says what became of a call whose outcome was lost. Read-only, asked again and again for a while.
   * `not_applied` means: it has not happened, and will not.
   */
  reconcile?(input: I, ctx: ToolContext): ProbeAnswer | Promise<ProbeAnswer>;
  /** How long the probe is asked before a person is, ms. Default 60,000. */
  reconcileMs?: number;
  /** Whether a preview may have become this by the time of the effect. Default: only if it is the same. Pure. */
  previewTolerance?(asked: Json, now: Json, input: I): boolean;
  /** Destructive: what makes two calls the same act, whatever they are called (payee, amount and reference). Pure. */
  intentKey?(input: I): string | Json;
  /** How long the same act is asked about again, ms. Default 24 h. */
  intentWindowMs?: number;
  /** Destructive: the upstream honours the idempotency key, so that a repetition is harmless. */
  idempotent?: boolean;
  /**
   * The vendor holds the model to the input's schema as it writes a call; it takes only some schemas. Ours checks every
   * call in any case. Default false.
   */
  strict?: boolean;
  /** Largest result that travels inline, bytes of JSON. Default 2048; larger goes into the store. `unlimited`: for readers. */
  maxInlineBytes?: number | 'unlimited';
  limits?: ToolLimits;
  /** It can carry data out of the organisation (sends, posts, pushes); rules see it as `tool.egress`. */
  egress?: boolean;
  /** What it returns was written by outsiders (web pages, mails, news); once read, rules see `turn.untrusted`. */
  untrustedOutput?: boolean;
  ruleTarget?: RuleTarget<I>;
  /**
   * What it acts on besides its input, as it was configured: the account, the root, the server. Shown on the card and part of
   * the call's digest: an approval for one target runs on no other. Pure; at most 4,000 bytes of JSON; no secrets.
   */
  target?: JsonObject | ((input: I) => JsonObject);
  /** Tools of one subject, for routing and for cards. */
  group?: string;
  /** Never shown to a model; for direct calls and other code. */
  internalOnly?: boolean;
  /** Names of the environments (setting HOLDFAST_ENVIRONMENT) in which it exists. Absent: in all. */
  environments?: string[];
  /** It reports progress worth watching. Default: whether `run` is an async generator function. */
  streaming?: boolean;
  /** Default: by the schema and the class. */
  estimatedTokens?: TokenEstimate;
  /** Version → what changed. */
  changelog?: Record<string, string>;
  deprecated?: boolean;
  /** First day on which calls are refused, `YYYY-MM-DD`, UTC. */
  sunsetDate?: string;
  /** Name of the tool to use instead. */
  replacement?: string;
  /** Address or text. */
  migrationGuide?: string;
  /** What goes wrong most often, commonest first: for tool cards. */
  errors?: TypicalError[];
  /** One line about a large result, for people and for the model. Default: its shape and first characters. */
  summarize?(data: Json, input: I): string;
}

export type Outcome = 'applied' | 'not_applied' | 'unknown';

/** What a probe found, and what it saw: evidence is shown to whoever has to settle it. */
export type ProbeAnswer = Outcome | { outcome: Outcome; evidence?: string; data?: Json };

/** How far a generator tool is. */
export interface ToolProgress {
  /** Says no more than no type. */
  type?: 'start' | 'progress';
  message: string;
  fraction?: number;
}

/**
 * What a generator tool yields: progress, or a piece of its result. Pieces that are texts are joined; several others are a list.
 * `done` carries facts about the whole, as a returned value does; beside pieces the result is `{content, …facts}`.
 */
export type ToolYield =
  | ToolProgress
  | { type: 'content'; data: unknown; message?: undefined }
  | { type: 'done' | 'complete'; message?: undefined; [fact: string]: unknown };

export const TOOL = Symbol.for('holdfast.tool');

/** A checked definition. */
export interface Tool<I = any> extends ToolDefinition<I> {
  readonly [TOOL]: true;
  /** An agent answers its calls; made by `agentTool`. Absent: `run` does. */
  readonly subAgent?: SubAgent;
}

/** The agent behind a tool. */
export interface SubAgent {
  name: string;
  /** What `defineAgent` returned; absent where it is only named. */
  agent?: { readonly name: string };
  /** The user message of its turn. Pure. */
  message(input: JsonObject): string;
  /** Below the agent's own. */
  limits: Partial<AgentLimits>;
}

/** True for what `defineTool` returned, whichever copy of this package made it. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && TOOL in value;
}

/** As `output` describes it, with a `binaryFile` where the result has what stands for a file. */
export type RunReturn<R> = R extends FileResult ? R | BinaryFile : R extends object ? { [K in keyof R]: RunReturn<R[K]> } : R;
