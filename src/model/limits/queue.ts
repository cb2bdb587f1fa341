/**
 * The queue for one model, fair between sessions: sessions take turns, one request each; within a session, who came first is first.
 * A session that is new, or was just served, stands behind all that wait. So none waits longer than it takes to serve every other
 * session once for each of its own requests before it, whatever arrives meanwhile.
 *
 * A waiter need not be there all the time: its ticket keeps its place until `lost_at`. Only one that has asked a moment ago can be
 * served (`seen_until`), so that nobody waits for a worker that was killed. Times are ms since 1970 by the store's clock.
 */
import { isJsonObject, type Json } from '../../shared/json/json';

export interface Ticket {
  id: string;
  seen_until: number;
  lost_at: number;
}

/** The waiting requests of one session, or of one turn without a session; oldest first. */
export interface QueueLine {
  of: string;
  tickets: Ticket[];
}

/** The session that is next comes first. */
export type FairQueue = QueueLine[];

/** Most tickets: the queue is written at each change. Whoever comes then has no place, and asks again. */
export const MOST_TICKETS = 2000;

/** Without tickets whose holders did not come back. */
export function presentQueue(queue: FairQueue, now: number): FairQueue {
  return queue
    .map(({ of, tickets }) => ({ of, tickets: tickets.filter(({ lost_at }) => lost_at > now) }))
    .filter(({ tickets }) => tickets.length > 0);
}

/** Everybody who waits, in the order in which they will be served. */
export function servingOrder(queue: FairQueue): Ticket[] {
  const rounds = Math.max(0, ...queue.map(({ tickets }) => tickets.length));
  const order: Ticket[] = [];
  for (let round = 0; round < rounds; round++)
    for (const { tickets } of queue) {
      const ticket = tickets[round];
      if (ticket !== undefined) order.push(ticket);
    }
  return order;
}

/** A ticket that waits already keeps its place, with new times. */
export function withTicket(queue: FairQueue, of: string, ticket: Ticket): FairQueue {
  const line = queue.find((other) => other.of === of);
  if (line === undefined) return [...queue, { of, tickets: [ticket] }];
  const waits = line.tickets.some(({ id }) => id === ticket.id);
  const tickets = waits ? line.tickets.map((other) => (other.id === ticket.id ? ticket : other)) : [...line.tickets, ticket];
  return queue.map((other) => (other === line ? { of, tickets } : other));
}

/** Its request begins: if its session has others, they stand behind all other sessions now. */
export function serve(queue: FairQueue, id: string): FairQueue {
  const line = queue.find(({ tickets }) => tickets.some((ticket) => ticket.id === id));
  if (line === undefined) return queue;
  const others = queue.filter((other) => other !== line);
  const tickets = line.tickets.filter((ticket) => ticket.id !== id);
  return tickets.length === 0 ? others : [...others, { of: line.of, tickets }];
}

/** It does not wait any more; the others of its session keep their places. */
export function withoutTicket(queue: FairQueue, id: string): FairQueue {
  return queue
    .map(({ of, tickets }) => ({ of, tickets: tickets.filter((ticket) => ticket.id !== id) }))
    .filter(({ tickets }) => tickets.length > 0);
}

export function isQueue(value: unknown): value is FairQueue {
  return Array.isArray(value) && value.every(isLine);
}

function isLine(value: unknown): value is QueueLine {
  const { of, tickets } = (isJsonObject(value as Json) ? value : {}) as Partial<QueueLine>;
  return (
    typeof of === 'string' &&
    Array.isArray(tickets) &&
    tickets.every(
      (ticket) => typeof ticket?.id === 'string' && Number.isFinite(ticket.seen_until) && Number.isFinite(ticket.lost_at),
    )
  );
}
