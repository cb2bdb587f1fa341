/**
 * Computes the token counts of a rehearsal: characters of JSON by four. The cached part follows from the conversation alone: with
 * breakpoints set, the request before wrote everything up to the last answer.
 */
import type { JsonObject } from '../../shared/json/json';
import { objects } from './conversation';

export function usageOf(body: JsonObject, output: JsonObject[]): JsonObject {
  const messages = objects(body.messages);
  const prefixTokens = tokens([body.system ?? null, body.tools ?? null]);
  const total = sentTokens(body);
  const lastAnswer = messages.findLastIndex((message) => message.role === 'assistant');
  const hasBreakpoints = JSON.stringify(body).includes('"cache_control"');
  const read = hasBreakpoints && lastAnswer > 0 ? prefixTokens + tokens(messages.slice(0, lastAnswer)) : 0;
  const cacheWrite = hasBreakpoints ? Math.max(0, total - read - 1) : 0;
  return {
    input_tokens: Math.max(1, total - read - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: read,
    output_tokens: Math.max(1, tokens(output)),
  };
}

/** All that is sent, as the counting route says it. */
export function sentTokens(body: JsonObject): number {
  return tokens([body.system ?? null, body.tools ?? null]) + tokens(objects(body.messages));
}

function tokens(value: unknown): number {
  const text = JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));
  return Math.ceil(text.length / 4);
}
