/** The states of turns and calls. */
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

/** What a destructive call did. */
export const EFFECTS = ['applied', 'not_applied', 'refused', 'in_doubt'] as const;
export type Effect = (typeof EFFECTS)[number];
