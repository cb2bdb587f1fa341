/** What outsiders see of a turn: query `status`, the workflow's result, `holdfast show`. Wire format: snake_case. */
import type { Envelope } from './envelope';
import type { CallError } from './errors';
import type { ToolClass } from './tool-class';

export const TURN_STATES = [
  'running',
  'awaiting_approval',
  'in_doubt',
  'completed',
  'refused',
  'cancelled',
  'failed',
  'limit',
] as const;
export type TurnState = (typeof TURN_STATES)[number];

export const CALL_STATES = [
  'proposed', 'rejected', 'ready', 'waiting', 'approved', 'denied', 'expired', 'superseded', 'cancelled',
  'running', 'succeeded', 'failed', 'in_doubt',
] as const; // oxfmt-ignore
export type CallState = (typeof CALL_STATES)[number];

/** What a destructive call did; null for harmless classes and before its end. */
export type Effect = 'applied' | 'not_applied' | 'refused' | 'in_doubt';

export interface ApprovalView {
  required: boolean;
  /** Who has approved, or who denied. */
  by: string[];
  decision: 'approve' | 'deny' | 'expired' | null;
  note: string | null;
  expires_at: string | null;
  /** How many must approve. */
  quorum: number;
  /** Whose word counts: `attested` takes signed decisions only. */
  channel: 'any' | 'attested';
  /** All that was decided on this revision, in order. */
  decisions: DecisionView[];
}

export interface DecisionView {
  decision: 'approve' | 'deny' | 'expired';
  by: string;
  at: string;
  note: string | null;
  channel: 'signal' | 'update' | 'timer';
  /** What the sender's client claims to be. */
  identity: string;
  attested: boolean;
}

export interface CallView {
  /** `<step>.<index>`, both from 1. */
  id: string;
  /** From 1. An edit, and what makes a call wait again, supersede it by the next: an entry of its own. */
  revision: number;
  tool: string;
  version: string;
  class: ToolClass;
  /** 64 hex; null for a call that failed admission. */
  digest: string | null;
  state: CallState;
  idempotency_key: string | null;
  approval: ApprovalView;
  effect: Effect | null;
  attempts: number;
  error: CallError | null;
  result_summary: string | null;
  result_ref: string | null;
}

/** Calls that the view of a long turn has no more room for; the transcript has them all. */
export interface EarlierCalls {
  count: number;
  /** How many of them were destructive, by what became of them. */
  applied: number;
  not_applied: number;
  refused: number;
  in_doubt: number;
}

export interface IgnoredSignal {
  at: string;
  signal: string;
  identity: string;
  reason: string;
}

export interface TurnUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  /** Absent in views of older turns. */
  cache_creation_tokens?: number;
  cost_usd: number;
}

export interface TurnView {
  turn_id: string;
  workflow_id: string;
  run_id: string;
  agent: string;
  session_id: string | null;
  requester: string;
  trace_id: string;
  state: TurnState;
  /** Id of the store that the turn is bound to: a signed decision names it. Absent before the first step ended, and in older turns. */
  store_id?: string;
  /** The transcript's head, 64 hex; null before the first step ended. */
  head: string | null;
  step: number;
  /** The answer so far; the final one when the turn has ended. */
  text: string;
  /** Why a turn failed, hit a limit or was cancelled, and what to do. */
  reason: string | null;
  usage: TurnUsage;
  calls: CallView[];
  /** Calls before those. Absent: none. */
  earlier_calls?: EarlierCalls;
  /** Digests that wait for a person: approvals and in-doubt effects, its own and its sub-agents'. */
  pending: string[];
  ignored_signals: { count: number; last: IgnoredSignal[] };
  /** Whose messages a step has taken, besides the requester: they have a hand in every call from that step on. Absent: nobody's. */
  steered_by?: string[];
  /** The turns of its sub-agents, in the order in which they began. Absent: none. */
  sub_turns?: SubTurnView[];
  /** Of a sub-agent's turn: the turn and the call that it answers. */
  parent?: { turn_id: string; workflow_id: string; call_id: string };
  /** The conversation comes near the model's context window: whatever continues it compacts it first. Absent: it does not. */
  context_full?: boolean;
  started_at: string;
  ended_at: string | null;
  ui_url: string | null;
}

/** A sub-agent's turn, as the turn knows it that has asked for it. */
export interface SubTurnView {
  call_id: string;
  turn_id: string;
  workflow_id: string;
  agent: string;
  state: TurnState;
  head: string | null;
  /** Its own, and that of its sub-agents; it is part of the parent's. */
  usage: TurnUsage;
  /** What waits for a person in it, and below it. */
  waiting: SurfacedCall[];
}

/** A call of a sub-agent that waits: it can be decided here, or in its own turn. */
export interface SurfacedCall {
  /** The turn whose call it is: what a signed decision is signed for. */
  turn_id: string;
  workflow_id: string;
  first_execution_run_id: string;
  /** As of its turn. */
  store_id?: string;
  agent: string;
  head: string | null;
  call: CallView;
}

/** A direct call: a turn of one call, with its envelope once it has ended. */
export interface DirectCallView extends TurnView {
  envelope: Envelope | null;
}
