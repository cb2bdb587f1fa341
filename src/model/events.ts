/** The events of a streamed answer, read strictly: what is no event of the Messages API is said to be none, at once. */
import { APIError } from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/core/streaming';
import { isJsonObject, type JsonObject } from '../shared/json/json';
import { foreignAnswer, type FailureContext } from './failure';

/** @throws ModelFailure for an answer of another API; APIError for what the API reports in its stream; what the connection throws */
export async function* eventsOf(response: Response, context: FailureContext): AsyncGenerator<JsonObject> {
  const type = response.headers.get('content-type') ?? 'no content type';
  if (!/^text\/event-stream\b/i.test(type)) throw foreignAnswer(`it answered with ${type}, not with a stream of events`, context);
  let begun = false;
  for await (const { event, data } of Stream.rawEvents(response)) {
    if (event === 'ping' || data === '') continue;
    const body = parsed(data);
    if (event === 'error') throw new APIError(undefined, body ?? { error: { message: data } }, undefined, response.headers);
    if (body === null || typeof body.type !== 'string' || (!begun && body.type !== 'message_start'))
      throw foreignAnswer(`${begun ? 'an event' : 'its first event'} is ${JSON.stringify(data.slice(0, 200))}`, context);
    begun = true;
    yield body;
  }
}

function parsed(data: string): JsonObject | null {
  try {
    const body = JSON.parse(data) as unknown;
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}
