/** The states of turns and calls. */
export const TURN_STATES = [
  'running',
  'awaiting_approval',
  'awaiting_answer',
  'in_doubt',
  'completed',
  'refused',
  'cancelled',
  'failed',
  'limit',
] as const;
export type TurnState = (typeof TURN_STATES)[number];
/** The states in which a turn has ended. */
export type EndState = Exclude<TurnState, (typeof OPEN_STATES)[number]>;
/** The states of a turn that goes on. Those after the first wait for a person. */
export const OPEN_STATES = ['running', 'awaiting_approval', 'awaiting_answer', 'in_doubt'] as const satisfies TurnState[];

export function isEnd(state: TurnState): state is EndState {
  return !OPEN_STATES.some((open) => open === state);
}

export const CALL_STATES = [
  'proposed', 'rejected', 'ready', 'waiting', 'approved', 'denied', 'expired', 'superseded', 'cancelled',
  'running', 'succeeded', 'failed', 'in_doubt',
] as const; // oxfmt-ignore
export type CallState = (typeof CALL_STATES)[number];

/** What a destructive call did. */
export const EFFECTS = ['applied', 'not_applied', 'refused', 'in_doubt'] as const;
export type Effect = (typeof EFFECTS)[number];
