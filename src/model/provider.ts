/**
 * The interface of every model. Messages are the Messages API's own content blocks, unchanged from the wire, so that thinking
 * blocks and signatures go back as they came.
 */
import { objectIn, type Json, type JsonObject } from '../shared/json/json';
import type { Thinking, ThinkingModel } from './thinking';

export interface ModelMessage {
  role: 'user' | 'assistant';
  content: JsonObject[];
  /** An answer's; absent: it is a message of the user, or an answer of the Messages API. */
  origin?: MessageOrigin;
}

/** Who made an answer. */
export interface MessageOrigin {
  /** `ModelProvider.name`. */
  provider: string;
  /** The answer in the vendor's own form, to be sent back to this provider. */
  raw?: Json;
}

/** The name of the provider whose answers need no other form: their blocks are those of the Messages API. */
export const ANTHROPIC_PROVIDER = 'anthropic';

/** A client tool as the model sees it. */
export interface ModelTool {
  name: string;
  description: string;
  input_schema: JsonObject;
  /** The vendor enforces the schema while the model writes a call. */
  strict?: boolean;
}

export interface ModelRequest {
  model: string;
  system: string;
  messages: ModelMessage[];
  tools: ModelTool[];
  /** The vendor's server-side tools that the agent lists, in the wire format. They bypass admission. */
  serverTools: JsonObject[];
  maxTokens: number;
  /** Extra fields for the wire (thinking, temperature…), from the agent's definition. */
  options: JsonObject;
  /** How much the model thinks. The vendor's own fields in `options` count more. Absent: as it does by itself. */
  thinking?: Thinking;
  /**
   * The tool of `tools` through which the model gives the data that its agent is asked for. A vendor with structured output lets the
   * model write the data as its last answer instead (native-result.ts). Absent: text is enough.
   */
  resultTool?: string;
  /** The vendor's container in which earlier answers of the conversation ran code. Absent: none exists any more. */
  container?: string;
  /** What the vendor counts in this request. Absent: nobody has asked it. */
  countedTokens?: number;
}

export interface TokenCounts {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
}

/** All that is billed. */
export interface ModelUsage extends TokenCounts {
  /** What the conversation takes of the model's window, this answer included. Absent: the same as was billed. */
  context_tokens?: number;
  /** The same by model, if several were asked. Absent: all is of the answer's model. */
  billed?: ({ model: string } & TokenCounts)[];
  /** Searches of the vendor's tool, which cost extra. Absent: none. */
  web_searches?: number;
}

export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/** Model id of the scripted model that stands in for the real one. */
export const REHEARSAL_MODEL = 'rehearsal-1';

/** The answer ended for lack of room: a call at its end may not be whole. */
export function isTruncated(reason: StopReason): boolean {
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded';
}

/** A `tool_use` block's input as text, so that admission can parse it strictly (duplicate keys, cut-off JSON). */
export interface RawToolInput {
  /** Position of its block in the answer's content. The model chooses ids, so two blocks may have the same. */
  block: number;
  json: string;
}

export interface ModelResponse {
  /** The vendor's message id. */
  id: string;
  /** The vendor's request id, if it sent one. */
  requestId: string | null;
  model: string;
  stopReason: StopReason;
  /** What the vendor adds to a refusal (category, explanation), as it came; absent when it added nothing. */
  stopDetails?: Json;
  /** Content blocks, in order. A tool_use block whose JSON did not parse has `input: {}`. */
  content: JsonObject[];
  rawToolInputs: RawToolInput[];
  /** The answer in the vendor's own form, if that is another than `content`. */
  raw?: Json;
  usage: ModelUsage;
  /** Where the vendor ran code for this answer; absent: it ran none. */
  container?: Container;
}

/** Waiting code continues in it, so the next request has to name it. */
export interface Container {
  id: string;
  /** ISO 8601; null: the vendor did not give it. */
  expires_at: string | null;
}

export interface ModelCallbacks {
  signal: AbortSignal;
  /** Called for each piece of text as it streams. */
  onText?(delta: string): void;
  /** Called if the vendor says, with an answer or a refusal, what is left of its limits. */
  onRates?(report: RateReport): void;
}

/** What a vendor says is left of its own limits. */
export interface RateReport {
  requests?: RateRoom;
  tokens?: RateRoom;
}

/** What is left of one limit. */
export interface RateRoom {
  /** The whole limit; null: the vendor did not say it. */
  limit: number | null;
  remaining: number;
  /** Until it is whole again, ms. */
  resetMs: number;
}

export interface ModelProvider {
  /** Shown in logs and audits, and kept with each answer: answers go back in the vendor's own form to a provider of this name. */
  readonly name: string;
  /** The vendor's id of its one model. Absent: it takes the names that agents use as ids. */
  readonly model?: string;
  /** Called when a worker starts. @throws what keeps the provider from ever answering: a missing package or key */
  checkSetup?(): void;
  /** What of these tools and options its vendor does not take, in words. It is asked when a worker starts. */
  faultsOf?(request: Pick<ModelRequest, 'tools' | 'serverTools' | 'options'>): string[];
  /**
   * Why the vendor cannot make the model think so; null: it can. It is asked when a worker starts. Absent: it has no setting for thinking.
   */
  thinkingFault?(thinking: Thinking, of: ThinkingModel): string | null;
  /**
   * Tokens of this request, by the vendor's own count. Absent: the vendor has no route for it, and the engine estimates them. It is
   * asked for large requests only; whatever it throws, and a late answer, is no failure of the step.
   */
  countTokens?(request: ModelRequest, signal: AbortSignal): Promise<number>;
  /** @throws ModelFailure, classified */
  request(request: ModelRequest, callbacks: ModelCallbacks): Promise<ModelResponse>;
}

/** A request that failed, classified once, at the boundary to the model. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  constructor(
    message: string,
    readonly facts: {
      /** Dotted type for Temporal, e.g. `model.overloaded`, `model.auth`, `model.bad_request`, `model.network`. */
      type: string;
      retryable: boolean;
      /** HTTP status, or null when there was none. */
      status: number | null;
      /** Wait that the vendor asked for, ms. */
      retryAfterMs?: number;
      details?: Json;
    },
  ) {
    super(message);
  }
}

/** Also true for a failure of another copy of this package, which a provider of one's own may throw. */
export function isModelFailure(error: unknown): error is ModelFailure {
  return error instanceof Error && error.name === 'ModelFailure';
}

/** A use of a tool that ran at the vendor, which returns text of outsiders. */
export function isServerUse({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

/**
 * A call in the neutral form.
 * @param json the input as the model wrote it; if it is no JSON object, the block's input is empty, and admission says why
 */
export function toolUseBlock(id: string, name: string, json: string): JsonObject {
  return { type: 'tool_use', id, name, input: objectIn(json) };
}
