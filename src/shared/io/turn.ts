/** Whose turn it is, and how it was set up; the workflows' own arguments. */
import type { Json } from '../json/json';
import type { ParentTurn, SubTurnStart, TurnLimits } from '../turn/sub-turn';

/** Inputs and results up to this many bytes of canonical JSON travel inline. */
export const INLINE_BYTES = 2048;

/** Who and where: the same for every activity of a turn. */
export interface TurnContext {
  turn_id: string;
  workflow_id: string;
  /** Stays the same through reset and continue-as-new. */
  first_execution_run_id: string;
  agent: string;
  requester: string;
  session_id: string | null;
  trace_id: string;
  /** Id of the store that the turn began over: it runs over no other. Absent before the first step, and in turns whose calls have digests of version 1. */
  store_id?: string;
  /** Of a sub-agent's turn: whose call it answers. Absent: nobody's, a person or a backend has started it. */
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

/** The workflow's argument. */
export interface TurnInput {
  turn_id: string;
  agent: string;
  message: string;
  requester: string;
  session_id: string | null;
  trace_id: string;
  /** Head that the turn continues from: a session's, or a fork's. */
  parent_head: string | null;
  /** Who started it, signed; absent: only claimed. */
  attestation?: string;
  /** Of a sub-agent's turn. */
  parent?: SubTurnStart;
  /** Session that started it, and is told of its end. Absent: none did. */
  session_workflow_id?: string;
  /** The conversation that it continues comes near the context window. Absent: it does not. */
  context_full?: boolean;
  /** Part of the store with where to tell of questions and of the end; absent: nowhere. */
  callback_ref?: string;
  /** Set by continue-as-new only. */
  resume?: Json;
}

/** The argument of a direct call's workflow. */
export interface CallInput {
  /** `call/<id>`. */
  turn_id: string;
  /** Null: the one served agent that has the tool. */
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

/** How one call is run; what is absent is as ever: with cache, streaming and retries, without debug info. */
export interface CallOptions {
  /** false: a cached result is neither read nor written. */
  enable_cache?: boolean;
  /** false: progress is not reported while it runs. */
  enable_streaming?: boolean;
  /** false: one attempt, whatever it ends with. */
  enable_retry?: boolean;
  /** true: `debug_info` in the envelope, where the worker allows it. */
  debug?: boolean;
}
