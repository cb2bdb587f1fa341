/** A decision that a command sends, and its result. */
import type { Json, JsonObject } from '../../shared/json/json';
import type { DecidedCall } from '../../shapes/turn-view';

export interface Deciding {
  turn: string;
  decision: 'approve' | 'deny' | 'settle' | 'answer';
  outcome?: 'applied' | 'not_applied';
  input?: JsonObject;
  /** Of an approval: the person whose deputy decides. */
  on_behalf_of?: string;
  /** Of an approval that is signed here by a deputy: the signed statement. */
  deputyship?: string;
  /** Of an answer. */
  value?: Json;
}

export interface DecisionResult {
  by: string;
  /** The state of the calls now, as far as it is known. */
  calls: DecidedCall[];
}
