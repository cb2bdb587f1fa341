/**
 * The cards of calls that streams announce as waiting. All streams of a gateway share a look at a turn, and a call that did not wait
 * any more at a look is not looked for again: a long turn has many past questions.
 */
import { LRUCache } from 'lru-cache';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { Card } from '../../shapes/card';
import type { GatewayParts } from '../route';

/** How long a look is shared, ms. */
const SHARED_MS = 1000;
const MOST_TURNS = 500;
/** Events have the time of Temporal's server, whose clock may differ by this, ms. */
const CLOCKS_MS = 60_000;

interface Look {
  began: number;
  cards: Promise<Map<string, Card>>;
}

const cardsByGateway = new WeakMap<GatewayParts, WaitingCards>();

/** One instance for a gateway, shared by all routes that stream. */
export function waitingCards(parts: GatewayParts): WaitingCards {
  const cards = cardsByGateway.get(parts) ?? new WaitingCards();
  cardsByGateway.set(parts, cards);
  return cards;
}

export class WaitingCards {
  private readonly looks = new LRUCache<string, Look>({ max: MOST_TURNS, ttl: SHARED_MS });

  /**
   * Null: the call does not wait any more, or its card cannot be read. The event is sent without it.
   * @param at when the call began to wait
   */
  async of(
    turn: Pick<TurnHandle, 'workflowId' | 'waiting'>,
    { digest, at }: { digest: string; at: string },
  ): Promise<Card | null> {
    const shared = this.looks.get(turn.workflowId);
    const card = (await shared?.cards)?.get(digest);
    if (card !== undefined) return card;
    const isOver = shared !== undefined && Date.parse(at) < shared.began - CLOCKS_MS;
    return isOver ? null : ((await this.look(turn)).get(digest) ?? null);
  }

  private look(turn: Pick<TurnHandle, 'workflowId' | 'waiting'>): Promise<Map<string, Card>> {
    const began = Date.now();
    const cards = turn.waiting().then(
      ({ questions }) => new Map(questions.map(({ card }) => [card.digest, card])),
      () => new Map<string, Card>(),
    );
    this.looks.set(turn.workflowId, { began, cards });
    return cards;
  }
}
