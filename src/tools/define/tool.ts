/** The types of a tool: the definition that its author writes, the tool that `defineTool` makes, and the context that it gets. */
import type { z } from 'zod';
import type { ErrorCode } from '../../shared/wire/error-codes';
import type { Json, JsonObject } from '../../shared/json/json';
import type { TargetKind } from '../../rules';
import type { ToolClass } from '../../shared/turn/tool-class';
import type { Resources } from '../../shared/turn/calls';
import type { Cursors } from '../results/pages';
import type { AgentLimits } from '../../agents/limits';
import type { BinaryFile, FileResult } from '../results/result-files';

/** A description in parts (seeds' template); rendered to one text for the model. */
export interface DescriptionParts {
  does: string;
  returns?: string;
  useWhen?: string;
  dontUseFor?: string;
  example?: string;
  warning?: string;
}

/** What a tool's functions get besides their input: `ctx`. */
export interface ToolContext {
  /** The same in every attempt of this call, also after a crash, a pause or a reset. Pass it to the upstream. A preview has its own. */
  idempotencyKey: string;
  /** From 1. */
  attempt: number;
  /** Aborts on cancellation and on timeout. `aborted` checks the clocks, so it is right even after the process was suspended. */
  signal: AbortSignal;
  /** When the time limit ends, ms since 1970: a tool must not act after it. Use it for the timeouts of requests. */
  deadline: number;
  /** `trace_YYYYMMDD_<12 hex>`, one per turn. */
  traceId: string;
  /** The requester of the turn. */
  principal: string;
  log: ToolLogger;
  /** Reports progress; clients get it through the heartbeat. `fraction` from 0 to 1. */
  progress(message: string, fraction?: number): void;
  /** Runs work that waits for an upstream; its time is reported as `performance.network_ms`. */
  network<T>(work: () => Promise<T>): Promise<T>;
  /** Adds facts for debugging; they reach the envelope's `debug_info` only where debugging is allowed. */
  debug(fields: JsonObject): void;
  /** Opaque page cursors, sealed for this tool and this principal. */
  cursors: Cursors;
  store: ToolStore;
  /**
   * Hands the end of this call on: to somebody who completes it at an address, or to the tool's own `poll`. Call it before the work is
   * handed over, pass `url` on, and return what it gives. In every attempt of a call the address is the same.
   * @throws ToolError for options that do not fit, and outside of `run`
   */
  later(options: LaterOptions): Promise<Later>;
}

export interface LaterOptions {
  /** From then on no completion counts, ms from now: 1 second to 366 days. A destructive call is then in doubt, another one has failed. */
  expiresMs: number;
  /** Ask the tool's `poll` too. `everyMs`: the first pause, at least 1 second, by default a minute; each is twice the one before. */
  poll?: boolean | { everyMs?: number };
}

/** How a call ends later. A tool returns it as its result. */
export interface Later {
  /** Takes the result, once: `POST` with `{"result": …}` or `{"error": "…"}`. Who knows it completes the call: keep it secret. */
  url: string;
  /** The secret part of the address, for `holdfast complete`. */
  token: string;
  /** ISO 8601. */
  expires_at: string;
}

/** The answer of `poll`: the call stays pending, or how it has ended. An error says that nothing was done. */
export type PollAnswer = 'pending' | { result: unknown } | { error: string };

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
  /** Stores what is too large for a result, e.g. a command's whole output. Returns the ref, with which read_result reads it. */
  keepResult(data: Json): Promise<string>;
}

/** Tokens that one call takes of the model's context. */
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

/** The targets that permission rules such as `edit_file(/src/**)` compare with. */
export interface RuleTarget<I> {
  kind: TargetKind;
  /** Must be pure. An allow rule has to match all targets, an ask or deny rule any of them. */
  of(input: I): string | string[];
  /** For a tool that runs commands: SHA-256 of a file now, by its path from the tool's root; null: no such file. Must be fast. */
  hashOf?(path: string): string | null;
  /** For a tool that works on files: names that it never writes, whatever the rules allow. */
  protects?: readonly string[];
}

/** A failure that users of a tool should know about. */
export interface TypicalError {
  code: ErrorCode;
  /** The reason, as in the tool's ToolError. */
  reason: string;
  /** When it happens, and what to do. */
  when: string;
}

/** The answer of a check that refuses an input which fits the schema. */
export interface CheckFault {
  reason: string;
  message: string;
  hint?: string;
}

/**
 * The tool's functions get the input as `I`: for zod, the schema's output. The input is parsed anew for each function, so
 * transforms must be pure and synchronous.
 * @typeParam R what `run` returns, as a zod `output` describes it; unknown without one
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
  /** The tool's own admission check, after the schema. Must be pure, without I/O. */
  check?(input: I): CheckFault | undefined;
  /** Destructive: describes what will happen, for the approver. Must only read. The preview is part of the digest. */
  preview?(input: I, ctx: ToolContext): string | Json | Promise<string | Json>;
  /** `input` is the schema's output where the schema is zod. A call whose result is what `ctx.later` gave ends later. */
  run(input: I, ctx: ToolContext): RunReturn<R> | Later | Promise<RunReturn<R> | Later> | AsyncGenerator<ToolYield, unknown>;
  /**
   * Runs `run`, `preview`, `reconcile` and `poll` in a thread that loads the app's module and is terminated at the time limit. A tool that
   * blocks its thread or takes too much memory harms no other call (docs/tools.md). Other functions run on the worker's thread.
   */
  isolate?: boolean;
  /** Schema of what `run` returns. Each result is checked before anything reads it; a violation is EXECUTION_ERROR. */
  output?: z.ZodType | JsonObject;
  /** Time limit of one run, ms. Default: by class. */
  timeoutMs?: number;
  /** Class read only: how long a result may be served from the cache, ms. Absent: not cached. */
  cacheTtlMs?: number;
  /** The input fields that a cached result depends on. Default: all. */
  cacheKeyParams?: string[];
  /**
   * May a call with this input run at the same time as others? Not the same as read-only. `true`: beside any call; `false`: beside
   * none; resources: beside calls that touch other resources. Default: by class.
   */
  concurrencySafe?(input: I): boolean | Resources;
  /**
   * Destructive: the probe, which finds out whether a call in doubt took effect. Must only read; it is called repeatedly for
   * `reconcileMs`. `not_applied` means that the call has had no effect, and will have none.
   */
  reconcile?(input: I, ctx: ToolContext): ProbeAnswer | Promise<ProbeAnswer>;
  /**
   * Finds out how a call ended that `ctx.later({ poll: true })` has made pending. Must only read; it is called repeatedly until the
   * call has ended or expires.
   */
  poll?(input: I, ctx: ToolContext): PollAnswer | Promise<PollAnswer>;
  /** How long the probe is called before a person is asked, ms. Default 60,000. */
  reconcileMs?: number;
  /** Whether a preview made again before the effect is close enough to the approved one. Default: only if equal. Must be pure. */
  previewTolerance?(before: Json, now: Json, input: I): boolean;
  /** Destructive: the values that make two calls the same act (such as payee, amount and reference). Must be pure. */
  intentKey?(input: I): string | Json;
  /** How long a second call of the same act needs a person's decision, ms. Default 24 h. */
  intentWindowMs?: number;
  /** Destructive: the upstream honours the idempotency key, so that a retry is harmless. */
  idempotent?: boolean;
  /**
   * The model's vendor enforces the input's schema while the model writes a call; vendors support only some schemas. Admission
   * checks every call in any case. Default false.
   */
  strict?: boolean;
  /** Largest inline result, bytes of JSON; a larger one goes into the store. Default 2048. `unlimited`: the tool bounds it. */
  maxInlineBytes?: number | 'unlimited';
  limits?: ToolLimits;
  /** The tool can send data out of the organisation (sends, posts, pushes); rules see this as `tool.egress`. */
  egress?: boolean;
  /** Outsiders wrote what the tool returns (web pages, mails, news). After a result is read, rules see `turn.untrusted`. */
  untrustedOutput?: boolean;
  ruleTarget?: RuleTarget<I>;
  /**
   * What the tool acts on besides its input, as configured: the account, the root, the server. It is shown on the card and is part
   * of the call's digest: an approval for one target is valid for no other. Must be pure; at most 4,000 bytes of JSON; no secrets.
   */
  target?: JsonObject | ((input: I) => JsonObject);
  /** Group of tools for one subject; catalogues and data sheets use it. */
  group?: string;
  /** The tool is never shown to a model; only direct calls and other code use it. */
  internalOnly?: boolean;
  /** Names of the environments (setting HOLDFAST_ENVIRONMENT) in which the tool exists. Absent: all. */
  environments?: string[];
  /** The tool reports useful progress. Default: whether `run` is an async generator function. */
  streaming?: boolean;
  /** Default: computed from the schemas and `maxInlineBytes`. */
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
  /** The most frequent errors, most frequent first; for tool cards. */
  errors?: TypicalError[];
  /** One line about a large result, for people and for the model. Default: its shape and first characters. */
  summarize?(data: Json, input: I): string;
}

export type Outcome = 'applied' | 'not_applied' | 'unknown';

/** The answer of a probe: the outcome, and evidence, which is shown to the person who settles the call. */
export type ProbeAnswer = Outcome | { outcome: Outcome; evidence?: string; data?: Json };

/** Progress of a generator tool. */
export interface ToolProgress {
  /** Has no effect. */
  type?: 'start' | 'progress';
  message: string;
  fraction?: number;
}

/**
 * What a generator tool yields: progress, or a piece of its result. Text pieces are joined; several other pieces become a list.
 * `done` has facts about the whole result, as a returned value does; together with pieces the result is `{content, …facts}`.
 */
export type ToolYield =
  | ToolProgress
  | { type: 'content'; data: unknown; message?: undefined }
  | { type: 'done' | 'complete'; message?: undefined; [fact: string]: unknown };

export const TOOL = Symbol.for('holdfast.tool');

/** A checked definition. */
// oxlint-disable-next-line typescript/no-explicit-any -- tools of all inputs stand in one list; only a tool's own schema knows its input
export interface Tool<I = any> extends ToolDefinition<I> {
  readonly [TOOL]: true;
  /** The agent that answers the tool's calls; set by `agentTool`. Absent: `run` answers them. */
  readonly subAgent?: SubAgent;
  /** A person answers the tool's calls; set by `askPerson`. Absent: nobody is asked for a result. */
  readonly question?: QuestionTool;
  /** The tool's calls are waits, which the workflow does itself; set by `waitUntil`. Absent: they are none. */
  readonly wait?: { readonly longestMs: number };
}

/** What a call that a person answers needs besides its input. */
export interface QuestionTool {
  /** How long the question waits, ms. Must be pure. */
  waitMs(input: JsonObject): number;
}

/** The agent behind a tool. */
export interface SubAgent {
  name: string;
  /** The agent from `defineAgent`; absent where only its name is given. */
  agent?: { readonly name: string };
  /** The user message of the sub-agent's turn. Must be pure. */
  message(input: JsonObject): string;
  /** At most the agent's own limits. */
  limits: Partial<AgentLimits>;
}

/** True for a tool from `defineTool`, even from another copy of this package. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && TOOL in value;
}

type FileFields = Pick<FileResult, 'filename' | 'content_type' | 'size' | 'sha256' | 'ref'>;

/** The type that `output` describes, with `binaryFile(…)` allowed where the result has a `FileResult`. */
export type RunReturn<R> = R extends FileFields ? R | BinaryFile : R extends object ? { [K in keyof R]: RunReturn<R[K]> } : R;
