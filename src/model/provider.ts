/**
 * One interface in front of every model. Messages are the Messages API's own content blocks, kept
 * as they went over the wire, so that thinking blocks and signatures go back unchanged.
 */
import type { Json, JsonObject } from '../shared/json/json';

export interface ModelMessage {
  role: 'user' | 'assistant';
  content: JsonObject[];
}

/** A client tool as the model sees it. */
export interface ModelTool {
  name: string;
  description: string;
  input_schema: JsonObject;
  /** The vendor holds the model to the schema as it writes a call. */
  strict?: boolean;
}

export interface ModelRequest {
  model: string;
  system: string;
  messages: ModelMessage[];
  tools: ModelTool[];
  /** Vendor's server-side tools that the agent lists, as the wire wants them. They bypass admission. */
  serverTools: JsonObject[];
  maxTokens: number;
  /** Extra fields for the wire (thinking, temperature…), from the agent's definition. */
  options: JsonObject;
  /** The vendor's container that earlier answers of the conversation ran code in. Absent: there is none that still exists. */
  container?: string;
}

export interface TokenCounts {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_creation_tokens: number;
}

/** All that is billed. */
export interface ModelUsage extends TokenCounts {
  /** What the conversation takes of the model's window, this answer included. Absent: as much as was billed. */
  context_tokens?: number;
  /** The same by model, where more than one was asked. Absent: the answer's. */
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

/** The answer ends where there was no room for more: a call at its end may not be whole. */
export function isCut(reason: StopReason): boolean {
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded';
}

/** A `tool_use` block's input as text, so that admission can parse it strictly (duplicate keys, cut-off JSON). */
export interface RawToolInput {
  /** Position of its block in the answer's content. An id is the model's own word, and two blocks may have the same. */
  block: number;
  json: string;
}

export interface ModelResponse {
  /** The vendor's message id. */
  id: string;
  /** The vendor's request id, where it sent one. */
  requestId: string | null;
  model: string;
  stopReason: StopReason;
  /** What the vendor adds to a refusal (category, explanation), as it came; absent when it added nothing. */
  stopDetails?: Json;
  /** Content blocks, in order. A tool_use block whose JSON did not parse carries `input: {}`. */
  content: JsonObject[];
  rawToolInputs: RawToolInput[];
  usage: ModelUsage;
  /** Where the vendor ran code for this answer; absent: nowhere. */
  container?: Container;
}

/** Waiting code goes on in it, so that the next request has to name it. */
export interface Container {
  id: string;
  /** ISO 8601; null: the vendor has not said. */
  expires_at: string | null;
}

export interface ModelCallbacks {
  signal: AbortSignal;
  /** Called for each piece of text as it streams. */
  onText?(delta: string): void;
}

export interface ModelProvider {
  readonly name: string;
  /** @throws ModelFailure, classified */
  request(request: ModelRequest, callbacks: ModelCallbacks): Promise<ModelResponse>;
}

/** A request that failed, classified once, here, at the boundary. */
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
