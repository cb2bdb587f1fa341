/** The public face of the workflows: names and shapes that clients use. Safe to import anywhere. */
export type { TurnInput } from '../shared/activity-io';

export const TURN_WORKFLOW = 'turn';

/** Memo of a turn: its trace id, for log lines that know nothing but the workflow. */
export const MEMO_TRACE = 'holdfast_trace';

/** Signals take one JSON object, so that the Web UI can send them. */
export const SIGNALS = { approve: 'approve', deny: 'deny', settle: 'settle' } as const;

/** Update: a decision with an answer. Takes `{decision: approve|deny|settle, …}`. */
export const DECIDE_UPDATE = 'decide';
export interface DecideAnswer {
  accepted: boolean;
  /** Why not; null when accepted. */
  reason: string | null;
}

/** Query: answers with a TurnView. */
export const STATUS_QUERY = 'status';

/** Search attributes that the namespace must have, with their types. */
export const SEARCH_ATTRIBUTES = {
  HoldfastAgent: 'KEYWORD',
  HoldfastState: 'KEYWORD',
  HoldfastSession: 'KEYWORD',
  HoldfastRequester: 'KEYWORD',
  HoldfastTool: 'KEYWORD_LIST',
} as const;

/** Failure type of a turn that ended `failed`; its first detail is the TurnView. */
export const TURN_FAILED = 'holdfast.turn_failed';
