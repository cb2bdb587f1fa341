/**
 * Asks vendors how many tokens a request has, where they have a route for that. A count is a help and never a condition: one that fails
 * or comes late gives none, and the vendor is left alone for a while.
 */
import type { ModelProvider, ModelRequest } from '../provider';

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
      const tokens = await Promise.race([provider.countTokens!(request, either), aborted(either)]);
      if (Number.isSafeInteger(tokens) && tokens > 0) return tokens;
    } catch {
      // No count, whatever went wrong.
    }
    if (!signal.aborted) this.rests.set(provider, this.now() + REST_MS);
    return null;
  }
}

/** A provider may not heed its signal. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
