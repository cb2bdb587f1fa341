/** Types of a turn that is asked anew: what another model, or another prompt, would have decided. */
import type { JsonObject } from '../../shared/json/json';
import type { ModelMessage, ModelResponse, ModelTool } from '../../model/provider';
import type { Thinking } from '../../model/thinking';

/** One request, without what depends on the model that is asked. */
export interface AnewRequest {
  system: string;
  messages: ModelMessage[];
  tools: ModelTool[];
  /** The tool by which the agent gives its result; absent: it answers with text. */
  resultTool?: string;
  maxTokens: number;
  /** The agent's own options, which were written for one vendor. */
  options: JsonObject;
  /** As the agent's definition has it; absent: the model thinks as it does by itself. */
  thinking?: Thinking;
}

/** The model that is asked. It runs no tool. */
export interface AskedModel {
  name: string;
  /** The name of its provider: its answers go back to it in its own form. */
  provider: string;
  /** @param vendor the provider for which the agent's options were written */
  ask(request: AnewRequest, vendor: string): Promise<PaidAnswer>;
}

export interface PaidAnswer {
  response: ModelResponse;
  /** US dollars; null: no price of the model is known. */
  costUsd: number | null;
}

export interface AnewLimits {
  /** Checked before each request: the last one may go beyond it. */
  maxUsd?: number;
}

/** Where the new turn ended. */
export type AnewEnd =
  | { how: 'answered' }
  /** A call of the new turn has no answer in the record. */
  | { how: 'left_record'; call: string; reason: string }
  /** A limit, of the agent or of the command. */
  | { how: 'limit'; reason: string }
  /** The model stopped in another way than by an answer. */
  | { how: 'stopped'; reason: string };

/** A recorded call, in short. */
export interface RecordedRef {
  callId: string;
  tool: string;
  class: string;
  input: string;
  /** How it ended. */
  state: string | null;
}

/** A call of the new turn. */
export interface AnewCall {
  /** `<step>.<index>` of the new turn. */
  callId: string;
  tool: string;
  input: string;
  /** The recorded call whose answer it got; null: it got none. */
  answeredBy: RecordedRef | null;
  /** Null: it has an answer. */
  reason: string | null;
  /** Without an answer: the recorded call of this tool that nothing of the new turn has asked for, to compare the inputs. */
  nearest: RecordedRef | null;
}

export interface TurnSide {
  model: string;
  steps: number;
  costUsd: number | null;
  inputTokens: number;
  outputTokens: number;
  answer: string | null;
}

export interface AskedAnew {
  turnId: string;
  agent: string;
  /** The prompt is another. */
  otherPrompt: boolean;
  was: TurnSide & { state: string };
  now: TurnSide & { end: AnewEnd };
  calls: AnewCall[];
  /** Recorded calls that the new turn did not make. */
  notMade: RecordedRef[];
  /** All calls were made in the same order. */
  sameOrder: boolean;
  /** The calls, their order or the end differ. Two answers in other words are no difference. */
  differs: boolean;
  sameAnswer: boolean;
  /** What the new turn could not have, in words. */
  notes: string[];
}

/** The recorded turn cannot be asked again. The message says why. */
export class CannotAskError extends Error {
  override readonly name = 'CannotAskError';
}
