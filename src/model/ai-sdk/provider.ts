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
import type { TakenFiles } from '../taken-files';
import { DEFAULT_TIMEOUT_MS, TimeLimit } from '../time-limit';
import { AiSdkAccumulator } from './answer';
import { toCallOptions } from './prompt';
import type { Thinking, ThinkingModel } from '../thinking';
import { aiSdkThinking, fewerFiles, filesTakenBy, toolFaults } from './vendor';
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkStreamResult } from './types';
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
  /**
   * Largest file in bytes by kind that the model takes; 0: none. In place of a larger one the model gets a text that says so.
   * Default: the vendor's limits, where they are known.
   */
  files?: TakenFiles;
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
    const { structuredOutputs, files = filesTakenBy(vendorName) } = this.options;
    const dialect = { vendorName, modelId, ...optional({ structuredOutputs }) };
    const optionsWith = (most: TakenFiles) => ({
      ...toCallOptions(request, this.name, version, { ...dialect, files: most }),
      abortSignal: limit.signal,
    });
    const answer = new AiSdkAccumulator();
    const source = { requestId: null as string | null };
    try {
      for await (const part of this.parts(() => this.open(optionsWith, fewerFiles(files)), limit, context, {
        source,
        callbacks,
      })) {
        const text = answer.push(part);
        if (text) callbacks.onText?.(text);
      }
      limit.release();
      return answer.finish(source.requestId, this.languageModel.modelId, JSON.stringify(optionsWith(files)).length);
    } finally {
      limit.abort();
    }
  }

  /** What the package throws is classified here, so that a failing `onText` is no failure of the model. */
  private async *parts(
    open: () => Promise<AiSdkStreamResult>,
    limit: TimeLimit,
    context: FailureContext,
    { source, callbacks }: { source: { requestId: string | null }; callbacks: ModelCallbacks },
  ): AsyncGenerator<JsonObject> {
    try {
      const { stream, response } = await open();
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

  /** A package that cannot send a file says so before it makes a request: then the model gets a text in place of the file. */
  private async open(
    optionsWith: (files: TakenFiles) => AiSdkCallOptions,
    [files, ...fewer]: readonly TakenFiles[],
  ): Promise<AiSdkStreamResult> {
    try {
      return await this.languageModel.doStream(optionsWith(files!));
    } catch (error) {
      if (fewer.length === 0 || nameOf(error) !== 'AI_UnsupportedFunctionalityError') throw error;
      return this.open(optionsWith, fewer);
    }
  }
}

const NOT_THE_PROTOCOL: ReadonlySet<string> = new Set(['AI_JSONParseError', 'AI_TypeValidationError']);

/** A stream's error part may hold an error, a text, or the vendor's own object, which a package may not know. */
function asError(error: unknown): Error {
  const { value } = (error ?? {}) as { value?: unknown };
  if (nameOf(error) === 'AI_TypeValidationError' && saysError(value)) return new StreamError(JSON.stringify(value));
  if (error instanceof Error) return error;
  return new StreamError(typeof error === 'string' ? error : JSON.stringify(error));
}

function saysError(value: unknown): boolean {
  return isJsonObject(value) && (isJsonObject(value.error ?? null) || value.object === 'error' || value.type === 'error');
}
