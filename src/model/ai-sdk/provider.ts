/**
 * Any provider package of the AI SDK as a model: Google, Mistral, xAI, Azure, Ollama and others. The package makes the requests; its
 * own retries do not apply here, since they are above `doStream`.
 *
 * @example
 * import { google } from '@ai-sdk/google';
 * const model = aiSdk(google('gemini-3-pro'));
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { classifyFailure, foreignAnswer, type FailureContext } from '../failure';
import { tellRates } from '../limits/vendor-room';
import type { ModelCallbacks, ModelProvider, ModelRequest, ModelResponse } from '../provider';
import { DEFAULT_TIMEOUT_MS, TimeLimit } from '../time-limit';
import { AiSdkAccumulator } from './answer';
import { toCallOptions } from './prompt';
import type { Thinking, ThinkingModel } from '../thinking';
import { aiSdkThinking, toolFaults } from './vendor';
import type { AiSdkCallOptions, AiSdkLanguageModel } from './types';
import { aiSdkVendor, nameOf, StreamError } from './vendor';

export interface AiSdkOptions {
  /** Shown in logs and audits; finds this provider's own answers in a conversation. Default: the package's name of itself. */
  name?: string;
  /** Time limit of one whole request, its stream included, ms. @default 600000 */
  timeoutMs?: number;
  /**
   * Asks the package for an agent's result as structured output (`responseFormat`). Not every vendor takes it together with tools.
   * @default false: the model gives its result by a call
   */
  structuredOutputs?: boolean;
}

/** @throws TypeError for a model of another version of the interface */
export function aiSdk(model: AiSdkLanguageModel, options: AiSdkOptions = {}): ModelProvider {
  const { specificationVersion: version } = model;
  if (version !== 'v3' && version !== 'v4')
    throw new TypeError(
      `aiSdk takes language models of version v3 or v4 of the AI SDK's interface; this one is of ${String(version)}.`,
    );
  return new AiSdkProvider(model, options);
}

class AiSdkProvider implements ModelProvider {
  readonly name: string;
  readonly model: string;

  constructor(
    private readonly languageModel: AiSdkLanguageModel,
    private readonly options: AiSdkOptions,
  ) {
    this.name = options.name ?? languageModel.provider;
    this.model = languageModel.modelId;
  }

  faultsOf({ tools }: Pick<ModelRequest, 'tools'>): string[] {
    return toolFaults(this.languageModel.provider, tools);
  }

  thinkingFault(thinking: Thinking, { maxTokens }: ThinkingModel): string | null {
    const result = aiSdkThinking(thinking, this.languageModel, maxTokens);
    return 'fault' in result ? result.fault : null;
  }

  /** The model is the one that the provider was made for: `request.model` is its name in the record. */
  async request(request: ModelRequest, callbacks: ModelCallbacks): Promise<ModelResponse> {
    callbacks.signal.throwIfAborted();
    const context: FailureContext = { vendor: aiSdkVendor(this.languageModel.provider), model: request.model };
    const limit = new TimeLimit(callbacks.signal, this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS, context);
    const { specificationVersion: version, provider: vendorName, modelId } = this.languageModel;
    const { structuredOutputs } = this.options;
    const options = toCallOptions(request, this.name, version, { vendorName, modelId, ...optional({ structuredOutputs }) });
    const answer = new AiSdkAccumulator();
    const source = { requestId: null as string | null };
    try {
      for await (const part of this.parts({ ...options, abortSignal: limit.signal }, limit, context, { source, callbacks })) {
        const text = answer.push(part);
        if (text) callbacks.onText?.(text);
      }
      limit.release();
      return answer.finish(source.requestId, this.languageModel.modelId, JSON.stringify(options).length);
    } finally {
      limit.abort();
    }
  }

  /** What the package throws is classified here, so that a failing `onText` is no failure of the model. */
  private async *parts(
    options: AiSdkCallOptions,
    limit: TimeLimit,
    context: FailureContext,
    { source, callbacks }: { source: { requestId: string | null }; callbacks: ModelCallbacks },
  ): AsyncGenerator<JsonObject> {
    try {
      const { stream, response } = await this.languageModel.doStream(options);
      const headers = new Headers(response?.headers);
      source.requestId = headers.get('x-request-id') ?? headers.get('request-id');
      tellRates(callbacks, headers);
      const type = headers.get('content-type');
      if (type !== null && /^text\/html\b/i.test(type)) throw foreignAnswer(`it answered with ${type}`, context);
      for await (const part of stream) {
        if (!isJsonObject(part)) continue;
        if (part.type === 'error') throw asError(part.error);
        yield part;
      }
    } catch (error) {
      limit.throwIfOver();
      throw NOT_THE_PROTOCOL.has(nameOf(error) ?? '')
        ? foreignAnswer(String((error as Error).message), context)
        : classifyFailure(error, context);
    }
    limit.throwIfOver(); // an aborted stream may end as if it were complete
  }
}

const NOT_THE_PROTOCOL: ReadonlySet<string> = new Set(['AI_JSONParseError', 'AI_TypeValidationError']);

/** A stream's error part may hold an error, a text, or the vendor's own object. */
function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  return new StreamError(typeof error === 'string' ? error : JSON.stringify(error));
}
