/**
 * Sends the events of a turn or of a direct call over an SSE connection until they end. Answers 204 if nothing is left to send; a fault
 * after the start ends the stream, so that the client reconnects.
 */
import type { FastifyReply } from 'fastify';
import type { WatchedEvent } from '../../client/events/feed';
import type { SseConnection, ServerSentEvent } from './connection';
import type { ToolLogger } from '../../tools/define/tool';

export interface Streaming {
  connection: SseConnection;
  /** The events that are still to be sent. */
  events: AsyncGenerator<WatchedEvent>;
  /** The turn has ended: if no event is left, the answer is 204. */
  hasEnded: boolean;
  /** Sent before all others. */
  first?: ServerSentEvent;
  translate(event: WatchedEvent): ServerSentEvent[] | Promise<ServerSentEvent[]>;
  log: ToolLogger;
}

/**
 * Streams until the end. If the turn has ended and the reader has all events, the answer is 204, after which an EventSource does
 * not reconnect.
 * @throws errors before the stream begins; later errors end the stream, and the reader reconnects
 */
export async function stream(
  reply: FastifyReply,
  { connection, events, hasEnded, first, translate, log }: Streaming,
): Promise<void> {
  try {
    let next = hasEnded ? await events.next() : null;
    if (next?.done) return void (await reply.code(204).header('cache-control', 'no-store').send());
    connection.open();
    if (first) await connection.send(first);
    try {
      for (next ??= await events.next(); !next.done; next = await events.next())
        for (const event of await translate(next.value)) await connection.send(event);
      connection.end();
    } catch (error) {
      log.warn({ err: error }, 'a stream failed; its client reconnects');
      connection.end('the stream failed; reconnect');
    }
  } finally {
    connection.end();
    await events.return(undefined);
  }
}
