/** Server-sent events with the session's cookie. A stream that breaks is opened again by the browser, after its last event. */
import { addressOf } from './http';

export interface Stream {
  close(): void;
}

export interface StreamReader {
  /** @param type of the event @param data parsed JSON */
  event(type: string, data: unknown): void;
  /** Whether the stream is open now. */
  connected?(open: boolean): void;
  /** The gateway ended the stream, or refused it; it is not opened again. */
  ended?(): void;
}

export function openStream(path: string, types: readonly string[], reader: StreamReader): Stream {
  const source = new EventSource(addressOf(path), { withCredentials: true });
  const read = (event: Event) => {
    const { data } = event as MessageEvent<string>;
    try {
      reader.event(event.type, JSON.parse(data));
    } catch {
      // A broken event is none: the next reading of the state corrects it.
    }
  };
  for (const type of types) source.addEventListener(type, read);
  source.addEventListener('open', () => reader.connected?.(true));
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) {
      reader.ended?.();
      return;
    }
    reader.connected?.(false);
  });
  return { close: () => source.close() };
}
