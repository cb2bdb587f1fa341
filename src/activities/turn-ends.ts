import type { LookAtTurnInput, LookAtTurnOutput } from '../shared/activity-io';

/** How the turns of sessions end, as whoever keeps them tells. */
export interface TurnEnds {
  /** @throws when nobody can tell now: ask again */
  look(input: LookAtTurnInput): Promise<LookAtTurnOutput>;
}
