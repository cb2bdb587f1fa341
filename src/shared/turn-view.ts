/** What outsiders see of a turn: query `status`, the workflow's result, `holdfast show`. Wire format: snake_case. */
import type { Json } from './json';
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
] as const; // prettier-ignore
export type CallState = (typeof CALL_STATES)[number];

/** What a destructive call did; null for harmless classes and before its end. */
export type Effect = 'applied' | 'not_applied' | 'refused' | 'in_doubt';

export interface ApprovalView {
  required: boolean;
  by: string[];
  decision: 'approve' | 'deny' | 'expired' | null;
  note: string | null;
  expires_at: string | null;
}

export interface CallView {
  /** `<step>.<index>`, both from 1. */
  id: string;
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
  /** The transcript's head, 64 hex; null before the first step ended. */
  head: string | null;
  step: number;
  /** The answer so far; the final one when the turn has ended. */
  text: string;
  /** Why a turn failed, hit a limit or was cancelled, and what to do. */
  reason: string | null;
  usage: TurnUsage;
  calls: CallView[];
  /** Digests that wait for a person: approvals and in-doubt effects. */
  pending: string[];
  ignored_signals: { count: number; last: IgnoredSignal[] };
  started_at: string;
  ended_at: string | null;
  ui_url: string | null;
}

/** What `approve`, `deny` and `settle` carry, once decoded. */
export interface DecisionFields {
  call: string;
  by: string;
  note?: string;
  input?: Json;
  outcome?: 'applied' | 'not_applied';
}
