/**
 * Asks the models of an agent one after the other: after the tries of one, the next takes the step. The last one's failure is the
 * step's, which Temporal repeats as before; then the models that are down are left out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Circuits } from './circuits';
import {
  isModelFailure,
  type ModelCallbacks,
  ModelFailure,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
} from './provider';
import { modelSpan } from './request-span';
import type { PassedModel } from '../shared/io/step';
import type { ModelSetting } from './settings';

/** A model of the chain, by the name that the agent gives it. */
export interface ChainLink {
  name: string;
  provider: ModelProvider;
  /** The vendor's id of the model. */
  model: string;
  settings: ModelSetting;
}

/** What the models of a chain are asked. */
export interface Question {
  /** The request, as this model gets it. */
  requestOf(link: ChainLink): ModelRequest;
  signal: AbortSignal;
  /** Called before each request. @returns what takes the text of its answer */
  beginAnswer(): (text: string) => void;
}

export interface ChainAnswer {
  response: ModelResponse;
  link: ChainLink;
  /** Empty: the first model answered. */
  passed: PassedModel[];
}

/** Tries of a model that is not the last, with these waits between them, ms. A longer wait that the vendor asks for passes it. */
const WAITS_MS = [1000, 3000];

/** The most requests that one question to a chain of this length makes. */
export function mostRequests(links: number): number {
  return (links - 1) * (WAITS_MS.length + 1) + 1;
}

const LONGEST_WAIT_MS = 10_000;

/**
 * @param chain at least one model
 * @throws ModelFailure of the last model that was asked; the reason of the signal
 */
export async function askChain(chain: readonly ChainLink[], question: Question, circuits: Circuits): Promise<ChainAnswer> {
  const open = chain.filter(({ name }) => circuits.mayAsk(name));
  const links = open.length > 0 ? open : chain.slice(-1);
  const passed: PassedModel[] = chain
    .filter((link) => !links.includes(link))
    .map(({ name }) => ({ model: name, reason: 'down', attempts: 0 }));
  for (const [index, link] of links.entries()) {
    const isLast = index === links.length - 1;
    const result = await askOne(link, question, circuits, isLast ? [] : WAITS_MS);
    if (!(result instanceof FailedLink)) return { response: result, link, passed };
    if (isLast || isAboutRequest(result.failure)) throw afterOthers(result.failure, passed);
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
  link: ChainLink,
  { requestOf, beginAnswer, signal }: Question,
  circuits: Circuits,
  waits: readonly number[],
): Promise<ModelResponse | FailedLink> {
  const { name, provider } = link;
  const request = requestOf(link);
  for (let attempts = 1; ; attempts += 1) {
    const callbacks: ModelCallbacks = { signal, onText: beginAnswer() };
    try {
      const response = await modelSpan(link, request, () => provider.request(request, callbacks));
      circuits.recordSuccess(name);
      return response;
    } catch (error) {
      signal.throwIfAborted();
      if (!isModelFailure(error)) throw error;
      circuits.recordFailure(name, error);
      const wait = Math.max(waits[attempts - 1] ?? Infinity, error.facts.retryAfterMs ?? 0);
      if (!error.facts.retryable || error.facts.type === 'model.timeout' || wait > LONGEST_WAIT_MS)
        return new FailedLink(error, attempts);
      await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** Another model would meet the same failure: the conversation is too long, which compaction mends. */
function isAboutRequest({ facts }: ModelFailure): boolean {
  return facts.type === 'model.too_large';
}

/** The failure of the last model, with a word on those before it: all of them need a look. */
function afterOthers(failure: ModelFailure, others: readonly PassedModel[]): ModelFailure {
  if (others.length === 0) return failure;
  const names = others.map(({ model, reason }) => `${model} (${reason})`).join(', ');
  const sentence = /[.!?]$/.test(failure.message) ? failure.message : `${failure.message}.`;
  return new ModelFailure(`${sentence} Before it, these models did not take the step: ${names}.`, failure.facts);
}
