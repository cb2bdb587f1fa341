/** The cards of calls that a stream announces as waiting. Readers of the same turn share one look at it. */
import { LRUCache } from 'lru-cache';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { Card } from '../../shapes/card';

/** How long a look is shared, ms. */
const SHARED_MS = 1000;
const MOST_TURNS = 500;

export class WaitingCards {
  private readonly looks = new LRUCache<string, Promise<Map<string, Card>>>({ max: MOST_TURNS, ttl: SHARED_MS });

  /** Null: the call does not wait any more, or its card cannot be read. The event is sent without it. */
  async of(turn: TurnHandle, digest: string): Promise<Card | null> {
    const shared = (await this.looks.get(turn.workflowId))?.get(digest);
    return shared ?? (await this.look(turn)).get(digest) ?? null;
  }

  private look(turn: TurnHandle): Promise<Map<string, Card>> {
    const cards = turn.waiting().then(
      ({ questions }) => new Map(questions.map(({ card }) => [card.digest, card])),
      () => new Map<string, Card>(),
    );
    this.looks.set(turn.workflowId, cards);
    return cards;
  }
}
