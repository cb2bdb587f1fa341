/** A decision that a command takes, and what it came to. */
import type { JsonObject } from '../../shared/json/json';
import type { DecidedCall } from '../../shapes/turn-view';

export interface Deciding {
  turn: string;
  decision: 'approve' | 'deny' | 'settle';
  outcome?: 'applied' | 'not_applied';
  input?: JsonObject;
}

export interface DecisionResult {
  by: string;
  /** How the calls stand now, as far as somebody says it. */
  calls: DecidedCall[];
}
