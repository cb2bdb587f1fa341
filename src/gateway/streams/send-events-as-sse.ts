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
  /** All that is still to be told. */
  events: AsyncGenerator<WatchedEvent>;
  /** It has ended: then nothing more to tell is an answer of its own. */
  ended: boolean;
  /** Sent before all others. */
  first?: ServerSentEvent;
  translate(watched: WatchedEvent): ServerSentEvent[] | Promise<ServerSentEvent[]>;
  log: ToolLogger;
}

/**
 * Streams to the end. Of what has ended and been told already the answer is 204, on which an EventSource stays away.
 * @throws whatever keeps it from beginning; later faults end the stream, and the reader comes back
 */
export async function stream(
  reply: FastifyReply,
  { connection, events, ended, first, translate, log }: Streaming,
): Promise<void> {
  try {
    let next = ended ? await events.next() : null;
    if (next?.done) return void (await reply.code(204).header('cache-control', 'no-store').send());
    connection.open();
    if (first) await connection.send(first);
    try {
      for (next ??= await events.next(); !next.done; next = await events.next())
        for (const event of await translate(next.value)) await connection.send(event);
      connection.end();
    } catch (error) {
      log.warn({ err: error }, 'a stream has broken off; its reader comes back');
      connection.end('something went wrong; come back');
    }
  } finally {
    connection.end();
    await events.return(undefined);
  }
}
