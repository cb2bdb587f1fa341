/** What waits for a person: the list, and the stream of its changes. A row of both is a turn with its waiting calls. */
import type { InboxReading, PendingRow, RowCall, RowCard } from '../../../../src/shapes/inbox';
import type { Filterable } from '../lib/filter';
import { headline, payeeIn, sumIn, type Sum } from '../lib/format';
import { get } from './http';
import { openStream, type Stream } from './events';

export type { PendingRow };

export interface WaitingItem extends Filterable {
  key: string;
  turn_id: string;
  call: RowCall;
  card: RowCard;
  headline: string;
  payee: string | null;
  sum: Sum | null;
}

interface Page {
  turns: PendingRow[];
  next_cursor?: string | null;
}

const MOST_PAGES = 20;

export async function readWaiting(): Promise<PendingRow[]> {
  const rows: PendingRow[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { turns, next_cursor = null }: Page = await get<Page>(`v1/pending?compact=true${more}`);
    rows.push(...turns);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return rows;
}

export function itemsOf(row: PendingRow): WaitingItem[] {
  return row.calls.map((call) => itemOf(row, call));
}

function itemOf({ turn_id, agent, requester }: PendingRow, call: RowCall): WaitingItem {
  const { card } = call;
  return {
    key: `${turn_id} ${call.digest}`,
    turn_id,
    agent,
    requester: card.requester ?? requester,
    call,
    card,
    headline: headline(card),
    payee: payeeIn(card.input),
    sum: sumIn(card.input),
  };
}

export interface WaitingReader {
  connected(open: boolean): void;
  put(row: PendingRow): void;
  drop(turn: string): void;
  reading(reading: InboxReading): void;
  ended(): void;
}

const TYPES = ['waiting_reading', 'waiting_added', 'waiting_changed', 'waiting_removed'] as const;

export function followWaiting(reader: WaitingReader): Stream {
  return openStream('v1/pending/events', TYPES, {
    connected: (open) => reader.connected(open),
    ended: () => reader.ended(),
    event: (type, data) => {
      if (type === 'waiting_reading') reader.reading(data as InboxReading);
      if (type === 'waiting_removed') reader.drop((data as { turn_id: string }).turn_id);
      if (type === 'waiting_added' || type === 'waiting_changed') reader.put(data as PendingRow);
    },
  });
}
