/**
 * Computes the token counts of a rehearsal: characters of JSON by four. The cached part follows from the conversation alone: with
 * breakpoints set, the request before wrote everything up to the last answer.
 */
import type { JsonObject } from '../../shared/json/json';
import { objects } from './conversation';

export function usageOf(body: JsonObject, output: JsonObject[]): JsonObject {
  const messages = objects(body.messages);
  const fixed = tokens([body.system ?? null, body.tools ?? null]);
  const total = fixed + tokens(messages);
  const lastAnswer = messages.findLastIndex((message) => message.role === 'assistant');
  const marked = JSON.stringify(body).includes('"cache_control"');
  const read = marked && lastAnswer > 0 ? fixed + tokens(messages.slice(0, lastAnswer)) : 0;
  const written = marked ? Math.max(0, total - read - 1) : 0;
  return {
    input_tokens: Math.max(1, total - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: Math.max(1, tokens(output)),
  };
}

function tokens(value: unknown): number {
  const text = JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
  return Math.ceil(text.length / 4);
}
