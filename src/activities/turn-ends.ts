import type { LookAtTurnInput, LookAtTurnOutput } from '../shared/activity-io';

/** How the turns of sessions end, as whoever keeps them tells. */
export interface TurnEnds {
  /** @throws when nobody can tell now: ask again */
  look(input: LookAtTurnInput): Promise<LookAtTurnOutput>;
  /** Whether there are turns that a session of this id has started, or seems to have. @throws when nobody can tell now */
  hasTurns(sessionId: string): Promise<boolean>;
}
