/** The context that every activity of a turn receives, the turn's policy, and the arguments of the turn and call workflows. */
import type { Json } from '../json/json';
import type { Message } from '../turn/message';
import type { ParentTurn, SubTurnStart, TurnLimits } from '../turn/sub-turn';

/** Inputs and results up to this many bytes of canonical JSON travel inline. */
export const INLINE_BYTES = 2048;

/** Identifies the turn: the same for every activity of it. */
export interface TurnContext {
  turn_id: string;
  workflow_id: string;
  /** Stays the same through reset and continue-as-new. */
  first_execution_run_id: string;
  agent: string;
  requester: string;
  session_id: string | null;
  trace_id: string;
  /**
   * Id of the store that the turn began with: it runs with no other store. Absent before the first step, and in turns whose calls
   * have digests of version 1.
   */
  store_id?: string;
  /** For a sub-agent's turn: the call that it answers. Absent: a person or a backend started the turn. */
  parent?: ParentTurn;
}

/** The agent's settings as they were when the turn began; a redeploy does not change them. */
export interface TurnPolicy {
  /** Hash of the permission rules that admission applied. */
  policy_ref: string;
  limits: TurnLimits;
  max_parallel: number;
  sibling_abort: boolean;
  approval_expiry_ms: number;
  /** A message to the running turn supersedes the calls that wait for a person. Absent: it does not. */
  steer_supersedes?: boolean;
}

/** The argument of the turn workflow. */
export interface TurnInput {
  turn_id: string;
  agent: string;
  message: Message;
  requester: string;
  session_id: string | null;
  trace_id: string;
  /** Head that the turn continues from: a session's, or a fork's. */
  parent_head: string | null;
  /** The signed start; absent: the requester is only claimed. */
  attestation?: string;
  /** For a sub-agent's turn. */
  parent?: SubTurnStart;
  /** Session that started the turn, and is notified of its end. Absent: none did. */
  session_workflow_id?: string;
  /** The conversation that the turn continues is near the context window. Absent: it is not. */
  context_full?: boolean;
  /** Part of the store with the callback address for questions and the end; absent: no callbacks. */
  callback_ref?: string;
  /** Set by continue-as-new only. */
  resume?: Json;
}

/** The argument of a direct call's workflow. */
export interface CallInput {
  /** `call/<id>`. */
  turn_id: string;
  /** Null: the only served agent that has the tool. */
  agent: string | null;
  tool: string;
  /** As text, so that it is parsed in one place. */
  input_json: string;
  requester: string;
  trace_id: string;
  options: CallOptions;
  attestation?: string;
  /** Set by continue-as-new only. */
  resume?: Json;
}

/** How one call is run. An absent field means the default: with cache, streaming and retries, without debug info. */
export interface CallOptions {
  /** false: a cached result is neither read nor written. */
  enable_cache?: boolean;
  /** false: progress is not reported while it runs. */
  enable_streaming?: boolean;
  /** false: one attempt, however it ends. */
  enable_retry?: boolean;
  /** true: `debug_info` in the envelope, where the worker allows it. */
  debug?: boolean;
}

// What a workflow reports of its own time: spans that no activity covers, such as a wait for a person. They have no content.

export interface WorkflowSpan {
  /** `turn`: a turn or direct call; `step`: one model request with its calls; `call`: from its admission to its outcome. */
  kind: 'turn' | 'step' | 'call' | 'wait';
  /** Tells spans of one kind in one turn apart: number of the step, id of the call, call with a time for a wait; empty for a turn. */
  id: string;
  /** What it is of: agent, or tool. Empty for a step. */
  subject: string;
  /** ms since 1970 */
  start: number;
  end: number;
  /** Of a sub-agent's turn: the call that it answers. */
  parent?: CallOfTurn;
  attributes: Record<string, string | number | boolean>;
  /** Code or state that says why it failed. Absent: it did not fail. */
  failure?: string;
}

/** Names a call over all turns. */
export type CallOfTurn = Pick<ParentTurn, 'workflow_id' | 'first_execution_run_id' | 'call_id'>;

/** Header of starts, activities and child workflows: a W3C trace context as Temporal's own interceptors write it, and nothing else. */
export const TRACE_HEADER = '_tracer-data';

/** Id of the step to which a call belongs. */
export function stepOfCall(callId: string): string {
  return callId.split('.')[0]!;
}
