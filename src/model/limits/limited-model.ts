/** A model that is asked only within its limits: each request passes its gate, and what the vendor says is passed on to it. */
import { optional } from '../../shared/json/optional';
import { estimatedTokens } from '../context/tokens';
import { ModelFailure, type ModelProvider, type ModelResponse } from '../provider';
import type { ModelLimits } from '../settings';
import type { TokenUse } from './ledger';
import type { ModelGate } from './gate';
import type { Wait } from './place';

export interface LimitedBy {
  gate: ModelGate;
  /** The name of the model in the app: its limits go by it. */
  name: string;
  limits: ModelLimits;
  /** The same for every attempt of one step. */
  id: string;
  /** The session, or the turn if it has none. */
  of: string;
  /** Another model can take the step, if this one's vendor asks for a long pause. */
  mayPass: boolean;
  /** As of `Entering`. */
  keepsPlace?: (reason: unknown) => boolean;
  /** Told why the request waits, at each look. */
  onWait: (wait: Wait) => void;
  /** Told when it begins, and how long it has waited in this attempt, ms. */
  onBegin: (waitedMs: number) => void;
}

/** A request has to come back later; it keeps its place until then. Not a failure: nothing was asked. */
export class ModelBusy extends Error {
  override readonly name = 'ModelBusy';
  constructor(
    readonly model: string,
    readonly wait: Wait,
  ) {
    super(`There is no room for a request to model ${model} at present (${wait.why}).`);
  }
}

export function isModelBusy(error: unknown): error is ModelBusy {
  return error instanceof Error && error.name === 'ModelBusy';
}

/** A longer pause makes another model take the step, ms; the same as of a failure (fallback.ts). */
const LONGEST_PAUSE_MS = 10_000;

/** @throws from `request`, beside what the provider throws: ModelBusy */
export function limitedModel<P extends ModelProvider>(provider: P, terms: LimitedBy): P {
  const request: ModelProvider['request'] = async (modelRequest, callbacks) => {
    const { gate, name: model, limits, id, of } = terms;
    const { countedTokens, maxTokens } = modelRequest;
    const asker = { id, of, inputTokens: countedTokens ?? estimatedTokens(modelRequest), maxTokens };
    const { keepsPlace, onWait } = terms;
    const place = await gate.enter({ model, limits, asker, ...optional({ keepsPlace }) }, callbacks.signal, onWait);
    if (!place.ok) throw refusal(terms, place);
    terms.onBegin(place.waitedMs);
    const reports: Promise<void>[] = [];
    let use: TokenUse | null = null;
    try {
      const response = await provider.request(modelRequest, {
        ...callbacks,
        onRates: (report) => {
          reports.push(place.noteRates(report));
          callbacks.onRates?.(report);
        },
      });
      use = tokensOf(response);
      return response;
    } catch (error) {
      if (error instanceof Error && error.name === 'ModelFailure') {
        const { facts } = error as ModelFailure;
        if (asksForPause(facts)) await place.hold(facts.retryAfterMs ?? 0);
        if (facts.status !== null && !isInStream(facts)) use = { all: 0, answer: 0 };
      }
      throw error;
    } finally {
      await Promise.all(reports);
      await place.leave(use);
    }
  };
  return { ...provider, name: provider.name, request };
}

function refusal({ name, mayPass }: LimitedBy, wait: Wait): Error {
  if (!mayPass || wait.why !== 'vendor' || wait.waitMs <= LONGEST_PAUSE_MS) return new ModelBusy(name, wait);
  return new ModelFailure(
    `The vendor of model ${name} asked for a pause of ${Math.ceil(wait.waitMs / 1000)} s, which is not over.`,
    {
      type: 'model.rate_limited',
      retryable: true,
      status: null,
      retryAfterMs: wait.waitMs,
    },
  );
}

/** What other requests would meet too; a conflict or a timeout says nothing about them. */
function asksForPause({ status }: ModelFailure['facts']): boolean {
  return status === 429 || status === 503 || status === 529;
}

/** The stream had begun: the vendor had taken the request. */
function isInStream({ details }: ModelFailure['facts']): boolean {
  return typeof details === 'object' && details !== null && 'in_stream' in details;
}

/** All tokens that the vendor counts, those from its cache too: some vendors count them, and no header says it. */
function tokensOf({ usage }: ModelResponse): TokenUse {
  const { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens } = usage;
  return { all: input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens, answer: output_tokens };
}
