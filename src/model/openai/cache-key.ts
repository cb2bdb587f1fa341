/**
 * OpenAI caches prefixes by itself. Its requests go to one of many machines by the beginning of the prompt, and by this key: the same
 * for all steps of a conversation, so that they find the cache that the step before has filled.
 */
import type { JsonObject } from '../../shared/json/json';
import { sha256Hex } from '../../shared/json/sha256';
import type { ModelRequest } from '../provider';

/** Only OpenAI itself: other servers of its protocol may refuse a field that they do not know. */
export const OPENAI = 'openai';

/** A hash of how the conversation begins, which is all that its steps have in common. */
export function cacheKeyOf({ system, messages }: ModelRequest, provider: string): JsonObject {
  if (provider !== OPENAI) return {};
  const beginning = JSON.stringify([system, messages[0]?.content ?? null]).toWellFormed();
  return { prompt_cache_key: `holdfast_${sha256Hex(beginning).slice(0, 32)}` };
}
