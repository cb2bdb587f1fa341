/** Tokens by the number of characters, for servers that count none: otherwise limits and budgets would not bind. */
import type { ModelUsage } from './provider';

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
