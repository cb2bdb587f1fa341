/** Sends answers and errors over HTTP, with the faults of the transport. */
import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../shared/json/json';
import type { Fault } from './faults';
import type { Answer } from './message';
import { eventsOf, frame, messageBody } from './sse';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

interface Head {
  id: string;
  model: string;
  usage: JsonObject;
}

/** An error in the API's shape. */
export function refuse(response: ServerResponse, status: number, message: string, fault?: Fault): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (fault?.retryAfter !== undefined) response.setHeader('retry-after', String(fault.retryAfter));
  if (fault?.shouldRetry !== undefined) response.setHeader('x-should-retry', String(fault.shouldRetry));
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(errorBody(ERROR_TYPES[status] ?? 'api_error', message, response)));
}

export function sendMessage(response: ServerResponse, answer: Answer, head: Head): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(messageBody(answer, head)));
}

/** Streams the events; stops as soon as the client has disconnected. */
export async function sendStream(response: ServerResponse, answer: Answer, head: Head, fault: Fault | undefined): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const events = [...eventsOf(answer, head)];
  const middle = Math.floor(events.length / 2);
  for (const [index, event] of events.entries()) {
    if (response.destroyed) return;
    if (fault?.kind === 'slow') await pause(fault.ms ?? 200, response);
    if (index === middle && fault?.kind === 'cut') return void response.destroy();
    if (index === middle && fault?.kind === 'stream-error') {
      return void response.end(
        frame(errorBody(fault.type ?? 'overloaded_error', 'a rehearsed failure inside the stream', response)),
      );
    }
    if (event.type === 'message_stop' && fault?.kind === 'no-stop') break;
    response.write(frame(event));
    // What was written must arrive before the connection is cut.
    if (index === middle - 1 && fault?.kind === 'cut') await pause(10, response);
  }
  response.end();
}

function errorBody(type: string, message: string, response: ServerResponse): JsonObject {
  return { type: 'error', error: { type, message }, request_id: String(response.getHeader('request-id') ?? '') };
}

function pause(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    response.once('close', done);
    function done() {
      clearTimeout(timer);
      response.off('close', done);
      resolve();
    }
  });
}
