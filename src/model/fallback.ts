/**
 * Asks the models of an agent one after the other: after the tries of one, the next takes the step. The last one's failure is the
 * step's, which Temporal repeats as before; then the models that are down are left out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Circuits } from './circuits';
import { ModelFailure, type ModelCallbacks, type ModelProvider, type ModelRequest, type ModelResponse } from './provider';

/** A model of the chain, by the name that the agent gives it. */
export interface ChainLink {
  name: string;
  provider: ModelProvider;
  /** The vendor's id of the model. */
  model: string;
}

/** A model that did not take the step. */
export interface Passed {
  model: string;
  /** Type of its last failure; `down`: it was not asked, since it failed a moment ago. */
  reason: string;
  attempts: number;
}

export interface ChainAnswer {
  response: ModelResponse;
  link: ChainLink;
  /** Empty: the first model answered. */
  passed: Passed[];
}

/** Tries of a model that is not the last, with these waits between them, ms. A longer wait that the vendor asks for passes it. */
const WAITS_MS = [1000, 3000];
const LONGEST_WAIT_MS = 10_000;

/**
 * @param chain at least one model
 * @throws ModelFailure of the last model that was asked; the reason of the signal
 */
export async function askChain(
  chain: readonly ChainLink[],
  request: Omit<ModelRequest, 'model'>,
  callbacks: ModelCallbacks,
  circuits: Circuits,
): Promise<ChainAnswer> {
  const open = chain.filter(({ name }) => circuits.mayAsk(name));
  const asked = open.length > 0 ? open : chain.slice(-1);
  const passed: Passed[] = chain
    .filter((link) => !asked.includes(link))
    .map(({ name }) => ({ model: name, reason: 'down', attempts: 0 }));
  for (const [index, link] of asked.entries()) {
    const isLast = index === asked.length - 1;
    const result = await askOne(link, { ...request, model: link.model }, callbacks, circuits, isLast ? [] : WAITS_MS);
    if (!(result instanceof FailedLink)) return { response: result, link, passed };
    if (isLast || isAboutRequest(result.failure)) throw result.failure;
    passed.push({ model: link.name, reason: result.failure.facts.type, attempts: result.attempts });
  }
  throw new Error('askChain needs at least one model.');
}

class FailedLink {
  constructor(
    readonly failure: ModelFailure,
    readonly attempts: number,
  ) {}
}

async function askOne(
  { name, provider }: ChainLink,
  request: ModelRequest,
  callbacks: ModelCallbacks,
  circuits: Circuits,
  waits: readonly number[],
): Promise<ModelResponse | FailedLink> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      const response = await provider.request(request, callbacks);
      circuits.succeeded(name);
      return response;
    } catch (error) {
      callbacks.signal.throwIfAborted();
      if (!(error instanceof ModelFailure)) throw error;
      circuits.failed(name, error);
      const wait = Math.max(waits[attempts - 1] ?? Infinity, error.facts.retryAfterMs ?? 0);
      if (!error.facts.retryable || wait > LONGEST_WAIT_MS) return new FailedLink(error, attempts);
      await sleep(wait, undefined, { signal: callbacks.signal }).catch(() => callbacks.signal.throwIfAborted());
    }
  }
}

/** Another model would meet the same failure: the conversation is too long, which compaction mends. */
function isAboutRequest({ facts }: ModelFailure): boolean {
  return facts.type === 'model.too_large';
}
