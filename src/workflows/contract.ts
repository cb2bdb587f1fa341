/** The public interface of the workflows: names and types that clients use. Safe to import anywhere. */
import type { IntentOwner } from '../shared/intent';
import type { BudgetName } from '../shared/budget-book';
import type { CardState } from '../cards/card';

export type { CallInput, CallOptions, TurnInput } from '../shared/io/activities';
export type { SessionInput } from '../shared/turn/session';
export type { BudgetName } from '../shared/budget-book';
export type { FiringInput, FiringReport } from '../shared/schedule';

export const TURN_WORKFLOW = 'turn';
/** One tool call without a model: answers signals, update and query as a turn does. */
export const CALL_WORKFLOW = 'call';
/**
 * One firing of a schedule: starts a turn, and runs until it has ended. Started by a schedule of Temporal; workflow id:
 * `firingWorkflowId` with the scheduled time.
 */
export const FIRING_WORKFLOW = 'firing';
/** One message to the callback address of a turn; workflow id: `callback/<its id>`. */
export const CALLBACK_WORKFLOW = 'callback';
/** Entity of one intent, which runs for its window; workflow id: `intentWorkflowId`. */
export const INTENT_WORKFLOW = 'intent';
/** Updates of an intent: `claim` takes an IntentClaim (answer: ClaimAnswer), `close` an IntentClose. */
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

/** Memo of a turn: hash of what makes a request the same, by which a second start under its id is compared. */
export const MEMO_REQUEST = 'holdfast_request';
/** Memo of a turn: its trace id, for log lines that only know the workflow. */
export const MEMO_TRACE = 'holdfast_trace';
/** Memo of a turn or direct call whose id is a hash: the idempotency key that it was made of. */
export const MEMO_KEY = 'holdfast_key';

/** Signals take one JSON object, so that the Web UI can send them. */
export const SIGNALS = { approve: 'approve', deny: 'deny', settle: 'settle', answer: 'answer' } as const;

/** Signal, and update with an answer (a DecideAnswer): a message to the running turn, `{text, by}`. */
export const STEER = 'steer';

/** Signal, and update with an answer (a DecideAnswer): the turn ends before its next step, and keeps the conversation. `{by}`. */
export const INTERRUPT = 'interrupt';

/** A conversation: starts its turns one after the other; workflow id: `sessionWorkflowId`. Query `status` → SessionView. */
export const SESSION_WORKFLOW = 'session';
/**
 * Updates of a session. `send`: a SendBody → SendAnswer. `interrupt` `{by}`, `rename` `{title}`, `close` `{by}` → DecideAnswer.
 * `opened`: no argument → an OpenedAnswer, once the session has begun or its fork was refused.
 */
export const SESSION_UPDATES = {
  send: 'send',
  interrupt: 'interrupt',
  rename: 'rename',
  close: 'close',
  opened: 'opened',
} as const;
/** Signal of a turn to the session that started it: `{turn_id}`. Only a hint: the session then checks the turn itself. */
export const TURN_DONE_SIGNAL = 'turn_done';
/** Memo of a session's turn: a TurnOfSession. */
export const MEMO_OF_SESSION = 'holdfast_of_session';
/** Memo of a session: its title, and its requester in full (a search attribute is cut). */
export const MEMO_TITLE = 'holdfast_title';
export const MEMO_REQUESTER = 'holdfast_requester';

/** Update: a decision with an answer. Takes `{decision: approve|deny|settle, …}`. */
export const DECIDE_UPDATE = 'decide';
/** Update with an answer (a DecideAnswer): what a person answers to a question of the model, `{call, by, value}`. */
export const ANSWER_UPDATE = 'answer';
/**
 * Update with an answer (a DecideAnswer): completes a call that ends later, `{call, completion_ref}`. Only the store's own completions count
 * (completions/token.ts).
 */
export const COMPLETE_UPDATE = 'complete';
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
  /** Cards of the digests whose calls wait, if the turn has the card. */
  cards: {
    digest: string;
    /** Markdown. */
    card: string;
    /** Absent: a sub-agent's call, whose own turn knows it; or a worker of an older build. */
    state?: CardState;
  }[];
  /** How many of the digests were processed, from the first; query again for the rest. */
  read: number;
}

/** Query of a turn: answers with its SubTurnFacts, for its parent turn. */
export const SUB_TURN_QUERY = 'sub_turn';
/** Signal of a turn to its parent turn, `{turn_id}`: something has changed. It carries no facts, since anybody can send it. */
export const SUB_TURN_SIGNAL = 'sub_turn';

/** Failure type of a turn that ended `failed`; its first detail is the TurnView. */
export const TURN_FAILURE = 'holdfast.turn_failed';

/** Entity of one budget, with its spending and reservations. It runs while any of them counts. */
export const BUDGET_WORKFLOW = 'budget';
/** Updates of a budget: a `Reservation` → `ReservationAnswer`; a `BudgetSettlement` → nothing. */
export const RESERVE_UPDATE = 'reserve';
export const SETTLE_UPDATE = 'settle';
/** Query of a budget: the time, ms since 1970 → a `BudgetView`. A workflow's own clock does not advance between its tasks. */
export const BUDGET_QUERY = 'budget';

export interface BudgetView extends BudgetName {
  /** As in the last reservation; null: there was none yet. */
  cap: string | null;
  window_ms: number | null;
  /** Spent, reserved and in doubt, within the window. */
  used: string;
  left: string;
  reserved: number;
  in_doubt: number;
  /** Calls that a person approved beyond the cap. */
  over: number;
}
