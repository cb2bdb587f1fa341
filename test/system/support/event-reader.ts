/** An EventSource like a browser's, with a token, that records all events. */
import { EventSource } from 'eventsource';
import { toolEvent, streamedEvent } from '../../../src/shapes/turn-event';

export interface Told {
  type: string;
  /** Of the last event that had one. */
  lastEventId: string;
  data: any;
}

export interface EventReader {
  told: Told[];
  /** Those that have an id. */
  durable(): Told[];
  /** Resolves once it does not reconnect any more: with the status that made it stop. */
  over: Promise<number | undefined>;
  until(what: (told: Told) => boolean, withinMs?: number): Promise<Told>;
  /** Also checks the shape of all events. */
  close(): void;
}

export const EVENTS = [
  ...['turn_started', 'step_started', 'text_delta', 'step_completed', 'tool_started', 'tool_progress', 'tool_retrying'],
  ...['tool_result', 'tool_error', 'approval_requested', 'approval_decided', 'turn_reset', 'turn_completed'],
];

/** A shape leaves out fields that it does not know: this shows them. */
function checkShape(url: string, event: string, data: object): void {
  if (new URL(url).pathname.endsWith('/sse')) expect(toolEvent.parse({ event, data })).toEqual({ event, data });
  else expect(streamedEvent.parse(data)).toEqual(data);
}

export function readEvents(url: string, headers: Record<string, string>, lastEventId?: string): EventReader {
  const told: Told[] = [];
  let first = lastEventId;
  const source = new EventSource(url, {
    fetch: (input, init) => {
      const from: Record<string, string> = first === undefined ? {} : { 'last-event-id': first };
      first = undefined;
      return fetch(input, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers, ...from } });
    },
  });
  let changed: () => void = () => undefined;
  for (const type of EVENTS)
    source.addEventListener(type, (event) => {
      told.push({ type, lastEventId: event.lastEventId, data: JSON.parse(String(event.data)) });
      changed();
    });
  const over = new Promise<number | undefined>((resolve) =>
    source.addEventListener('error', ({ code }) => {
      if (source.readyState === source.CLOSED) resolve(code);
    }),
  );
  return {
    told,
    durable: () => told.filter(({ data }) => data.durable !== false),
    over,
    async until(what, withinMs = 60_000) {
      const late = Date.now() + withinMs;
      for (;;) {
        const found = told.find(what);
        if (found) return found;
        if (Date.now() > late)
          throw new Error(`Not told within ${withinMs} ms; told: ${told.map(({ type }) => type).join(', ')}`);
        await new Promise<void>((resolve) => {
          changed = resolve;
          setTimeout(resolve, 200);
        });
      }
    },
    close: () => {
      source.close();
      for (const { type, data } of told) checkShape(url, type, data);
    },
  };
}
