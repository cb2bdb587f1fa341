/** What was said in one turn of a session: the message, and the answer. Read from the events of the turn. */
import type { StreamedEvent } from '../../../../src/shapes/turn-event';
import { readEvents } from '../lib/event-text';
import { getText } from './http';
import { eventsOf } from './turns';

export interface Exchange {
  message: string | null;
  answer: string | null;
  state: string | null;
}

/** Of a turn that has ended: its stream ends by itself. */
export async function readExchange(turn: string, signal: AbortSignal): Promise<Exchange> {
  const events = readEvents(await getText(eventsOf(turn), { signal })).map(({ data }) => JSON.parse(data) as StreamedEvent);
  const exchange: Exchange = { message: null, answer: null, state: null };
  for (const event of events) {
    if (event.type === 'turn_started') exchange.message = event.message;
    if (event.type === 'turn_completed') Object.assign(exchange, { answer: event.text, state: event.state });
  }
  return exchange;
}
