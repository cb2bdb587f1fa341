/**
 * Tokens of a request before it is made: an estimate from its characters, and for large requests the vendor's own count, where it has a
 * route for that. A count is a help and never a condition: one that fails or comes late gives none, and the vendor is left alone for a
 * while.
 */
import { ModelFailure, type ModelProvider, type ModelRequest, type ModelUsage } from '../provider';

// Estimates. Servers that count none need them too: otherwise limits and budgets would not bind.

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

/** A later answer is of no use: meanwhile the request itself could have been made. */
const PATIENCE_MS = 5000;
/** After a failure. Servers that speak a vendor's protocol often lack this route. */
const REST_MS = 10 * 60_000;

export interface CounterOptions {
  patienceMs?: number;
  now?: () => number;
}

export class TokenCounter {
  /** By provider, ms since 1970: until then it is not asked. */
  private readonly rests = new WeakMap<ModelProvider, number>();
  /** The tries of one step repeat the same request. */
  private readonly counts = new WeakMap<ModelRequest, Promise<number | null>>();
  private readonly patienceMs: number;
  private readonly now: () => number;

  constructor({ patienceMs = PATIENCE_MS, now = Date.now }: CounterOptions = {}) {
    this.patienceMs = patienceMs;
    this.now = now;
  }

  /** Null: there is no count. @throws the reason of the signal only */
  async count(provider: ModelProvider, request: ModelRequest, signal: AbortSignal): Promise<number | null> {
    if (provider.countTokens === undefined || (this.rests.get(provider) ?? 0) > this.now()) return null;
    const known = this.counts.get(request) ?? this.ask(provider, request, signal);
    this.counts.set(request, known);
    const count = await known;
    signal.throwIfAborted();
    return count;
  }

  private async ask(provider: ModelProvider, request: ModelRequest, signal: AbortSignal): Promise<number | null> {
    const late = AbortSignal.timeout(this.patienceMs);
    const either = AbortSignal.any([signal, late]);
    try {
      const tokens = await Promise.race([provider.countTokens!(request, either), rejectOnAbort(either)]);
      if (Number.isSafeInteger(tokens) && tokens > 0) return tokens;
    } catch {
      // No count, whatever went wrong.
    }
    if (!signal.aborted) this.rests.set(provider, this.now() + REST_MS);
    return null;
  }
}

/** A provider may not heed its signal. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

// The count replaces the estimate in the model's limits. A request that is longer than the window is not made, if room can be made: it
// counts as one that the vendor refused.

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
