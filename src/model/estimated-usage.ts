/**
 * Tokens by the number of characters: for servers that count none, since otherwise limits and budgets would not bind, and for requests
 * before they are sent.
 */
import type { ModelRequest, ModelUsage } from './provider';

/** Characters of a token, at least; so the estimate is rather too high. */
const CHARACTERS = 3;

export function estimatedUsage(sentCharacters: number, answerCharacters: number): ModelUsage {
  return {
    input_tokens: Math.ceil(sentCharacters / CHARACTERS),
    output_tokens: Math.ceil(answerCharacters / CHARACTERS),
    cache_read_tokens: 0,
    cache_creation_tokens: 0,
  };
}

/** Of an image or a document only so many characters count: a token of it is more than a few letters of base64. */
const MOST_DATA = 6000;

/** Tokens of a request that is not sent yet. */
export function estimatedTokens({ system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): number {
  const short = (key: string, value: unknown) =>
    key === 'data' && typeof value === 'string' ? value.slice(0, MOST_DATA) : value;
  const sent = JSON.stringify({ system, messages: messages.map(({ role, content }) => ({ role, content })), tools }, short);
  return estimatedUsage(sent.length, 0).input_tokens;
}
