/**
 * A model whose large requests are counted by its vendor before they are made. The count replaces the estimate in the model's limits; and
 * a request that is longer than the window is not made, if room can be made: it counts as one that the vendor refused.
 */
import { estimatedTokens } from '../estimated-usage';
import { ModelFailure, type ModelProvider } from '../provider';
import type { TokenCounter } from './token-counter';

export interface CountedBy {
  counter: TokenCounter;
  /** Who counts: the model's own provider. */
  by: ModelProvider;
  /** The agent's context window, tokens. */
  window: number;
  /** `tokensPerMinute` of the model. Absent: it has no such limit. */
  tokensPerMinute?: number;
  /** Whether a request of so many tokens, which is longer than the window, can be made shorter. */
  canShorten: (tokens: number) => boolean;
}

/** A step that takes more than this part of a minute's tokens is worth a count. */
const LARGE = 1 / 4;

/** @param provider answers the requests */
export function countedModel(
  provider: ModelProvider,
  { counter, by, window, tokensPerMinute = Infinity, canShorten }: CountedBy,
): ModelProvider {
  const large = Math.min(window, LARGE * tokensPerMinute);
  const request: ModelProvider['request'] = async (modelRequest, callbacks) => {
    if (estimatedTokens(modelRequest) < large) return provider.request(modelRequest, callbacks);
    const tokens = await counter.count(by, modelRequest, callbacks.signal);
    if (tokens === null) return provider.request(modelRequest, callbacks);
    if (tokens > window && canShorten(tokens)) throw tooLong(modelRequest.model, tokens, window);
    return provider.request({ ...modelRequest, countedTokens: tokens }, callbacks);
  };
  return { ...provider, name: provider.name, request };
}

/** The figures are read from the words, as those of vendors (too-long.ts). */
function tooLong(model: string, tokens: number, window: number): ModelFailure {
  return new ModelFailure(
    `The request is longer than the agent's contextWindow, as the vendor counts it (model ${model}): ${tokens} tokens > ${window}.`,
    { type: 'model.too_large', retryable: false, status: null },
  );
}
