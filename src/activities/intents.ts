/** Who owns an act, over all turns, sessions and workers. */
import type { ClaimAnswer, IntentClaim, IntentClose, IntentOwner } from '../shared/intent';

/** `intent`: its hash. */
export interface Intents {
  /** The owners, without claiming anything. @throws when nobody answers in time */
  look(intent: string): Promise<IntentOwner[]>;
  /** May be asked again with the same claim. @throws when nobody answers in time: then it may have been granted */
  claim(intent: string, claim: IntentClaim): Promise<ClaimAnswer>;
  /** May be told again, also of what was never claimed. @throws when nobody answers in time */
  close(intent: string, close: IntentClose): Promise<void>;
}
