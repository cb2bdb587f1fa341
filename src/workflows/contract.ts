/** The public face of the workflows: names and shapes that clients use. Safe to import anywhere. */
import type { IntentOwner } from '../shared/intent';
import type { BudgetName } from '../shared/budget-book';

export type { CallInput, CallOptions, TurnInput } from '../shared/io/activities';
export type { SessionInput } from '../shared/turn/session';
export type { BudgetName } from '../shared/budget-book';

export const TURN_WORKFLOW = 'turn';
/** One tool call without a model: answers signals, update and query as a turn does. */
export const CALL_WORKFLOW = 'call';
/** One message to the address that a turn was started with; workflow id: `callback/<its id>`. */
export const CALLBACK_WORKFLOW = 'callback';
/** Entity of one intent, which runs for its window; workflow id: `intentWorkflowId`. */
export const INTENT_WORKFLOW = 'intent';
/** Updates of an intent: take an IntentClaim (answer: ClaimAnswer), an IntentClose. */
export const INTENT_UPDATES = { claim: 'claim', close: 'close' } as const;
/** Query of an intent: answers with its IntentOwners. */
export const OWNERS_QUERY = 'owners';
export interface IntentInput {
  owners: IntentOwner[];
  /** When the last window ends, ms since 1970; 0 before the first claim. */
  until: number;
}
/** Visibility query for turns and direct calls. */
export const TURNS_AND_CALLS = `WorkflowType IN ('${TURN_WORKFLOW}', '${CALL_WORKFLOW}')`;

/** Memo of a turn: its trace id, for log lines that know nothing but the workflow. */
export const MEMO_TRACE = 'holdfast_trace';
/** Memo of a turn or direct call whose id is a hash: the idempotency key that it was made of. */
export const MEMO_KEY = 'holdfast_key';

/** Signals take one JSON object, so that the Web UI can send them. */
export const SIGNALS = { approve: 'approve', deny: 'deny', settle: 'settle' } as const;

/** Signal, and update with an answer (a DecideAnswer): a message to the running turn, `{text, by}`. */
export const STEER = 'steer';

/** Signal, and update with an answer (a DecideAnswer): the turn ends before its next step, and keeps the conversation. `{by}`. */
export const INTERRUPT = 'interrupt';

/** A conversation: starts its turns one after the other; workflow id: `sessionWorkflowId`. Query `status` → SessionView. */
export const SESSION_WORKFLOW = 'session';
/**
 * Updates of a session. `send`: a SendBody → SendAnswer. `interrupt` `{by}`, `rename` `{title}`, `close` `{by}` → DecideAnswer.
 * `opened`: nothing → an OpenedAnswer, once it is known whether it may begin where it was forked from.
 */
export const SESSION_UPDATES = {
  send: 'send',
  interrupt: 'interrupt',
  rename: 'rename',
  close: 'close',
  opened: 'opened',
} as const;
/** Signal of a turn to the session that started it: `{turn_id}`. A hint to look, no more. */
export const TURN_DONE_SIGNAL = 'turn_done';
/** Memo of a session's turn: a TurnOfSession. */
export const MEMO_OF_SESSION = 'holdfast_of_session';
/** Memo of a session: its title; whose it is, in full (a search attribute is cut). */
export const MEMO_TITLE = 'holdfast_title';
export const MEMO_REQUESTER = 'holdfast_requester';

/** Update: a decision with an answer. Takes `{decision: approve|deny|settle, …}`. */
export const DECIDE_UPDATE = 'decide';
export interface DecideAnswer {
  accepted: boolean;
  /** Why not; null when accepted. */
  reason: string | null;
}

/** Query: answers with a TurnView. */
export const STATUS_QUERY = 'status';

/** Query of a turn or direct call: a list of digests → a CardPage. Workers of older builds do not know it. */
export const CARDS_QUERY = 'cards';
export interface CardPage {
  /** Those of the digests that wait, and whose cards the turn has. */
  cards: { digest: string; card: string }[];
  /** So many of the digests, from the first, were looked at; ask again for the rest. */
  read: number;
}

/** Query of a turn: answers with its SubTurnFacts, for the turn above it. */
export const SUB_TURN_QUERY = 'sub_turn';
/** Signal of a turn to the one above it, `{turn_id}`: there is something to look at. It says no more, since anybody can send it. */
export const SUB_TURN_SIGNAL = 'sub_turn';

/** Failure type of a turn that ended `failed`; its first detail is the TurnView. */
export const TURN_FAILURE = 'holdfast.turn_failed';

/** What is spent and reserved of one budget: an entity that runs while anything of it counts. */
export const BUDGET_WORKFLOW = 'budget';
/** Updates of a budget: a `Reservation` → `ReservationAnswer`; a `BudgetSettlement` → nothing. */
export const RESERVE_UPDATE = 'reserve';
export const SETTLE_UPDATE = 'settle';
/** Query of a budget: the time, ms since 1970 → a `BudgetView`. A workflow's own clock stands still between its tasks. */
export const BUDGET_QUERY = 'budget';

export interface BudgetView extends BudgetName {
  /** As last asked; null: nobody has asked yet. */
  cap: string | null;
  window_ms: number | null;
  /** Spent, reserved and in doubt, within the window. */
  used: string;
  left: string;
  reserved: number;
  in_doubt: number;
  /** Calls that a person let go beyond the cap. */
  over: number;
}
