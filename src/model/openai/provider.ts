/**
 * Calls OpenAI's two APIs, and servers that speak the older one, through the official SDK. The SDK's own retries are off: Temporal
 * does them.
 */
import type { OpenAI } from 'openai';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { secretsIn } from '../../shared/text/secrets';
import { clientFor, headerSecrets, secretVariable } from '../../config/secret-variable';
import { classifyFailure, foreignAnswer, type FailureContext, type Vendor } from '../failure';
import { tellRates } from '../limits/vendor-room';
import type { ModelCallbacks, ModelProvider, ModelRequest, ModelResponse } from '../provider';
import { OPENAI_FILES, withTakenFiles, type TakenFiles } from '../taken-files';
import { DEFAULT_TIMEOUT_MS, TimeLimit } from '../time-limit';
import { ChatAccumulator } from './chat-answer';
import { toChatBody, type ChatDialect } from './chat-request';
import { ResponsesAccumulator } from './responses-answer';
import { toCountBody, toResponsesBody } from './responses-request';
import { looseTools } from '../schemas/subsets';
import type { Thinking, ThinkingModel } from '../thinking';
import { OPENAI, openAiThinking, openAiVendor, sdk, withEnvelopes } from './vendor';

export interface OpenAiOptions {
  /** `responses` keeps the model's reasoning between steps; `chat` is what other servers speak. @default 'responses' */
  api?: 'responses' | 'chat';
  /** Default: `OPENAI_API_KEY`, unless there is a `baseUrl`. */
  apiKey?: string;
  /** Default: `OPENAI_BASE_URL`, else the vendor's. */
  baseUrl?: string;
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>;
  /** Time limit of one whole request, its stream included, ms. @default 600000 */
  timeoutMs?: number;
  /** Shown in logs and audits; finds this provider's own answers in a conversation. @default 'openai' */
  name?: string;
  /** The name of the field for the largest answer (chat). @default 'max_completion_tokens' */
  maxTokensField?: ChatDialect['maxTokensField'];
  /**
   * Lets the vendor enforce an agent's result schema on the last answer. Default: only for OpenAI's own API; elsewhere the model gives
   * its result by a call.
   */
  structuredOutputs?: boolean;
  /** Largest image and PDF that the model takes, bytes; 0: none. @default those of OpenAI's own models */
  files?: TakenFiles;
  /** For tests: replaces the network. */
  fetch?: typeof fetch;
}

/** Of a tool, characters. */
const LONGEST_NAME = 64;

/** A user's own server may need no key. */
const NO_KEY = 'none';

interface Accumulator {
  push(event: JsonObject): string | undefined;
}

export class OpenAiProvider implements ModelProvider {
  readonly name: string;
  readonly countTokens?: NonNullable<ModelProvider['countTokens']>;
  private readonly client: OpenAI;
  private readonly timeoutMs: number;
  private readonly api: 'responses' | 'chat';
  private readonly vendor: Vendor;
  private readonly structuredOutputs: boolean;
  private readonly hasAccess: boolean;

  constructor(private readonly options: OpenAiOptions = {}) {
    this.name = options.name ?? 'openai';
    this.api = options.api ?? 'responses';
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const baseURL = options.baseUrl ?? secretVariable(process.env, 'OPENAI_BASE_URL');
    // The settings' own key goes to the settings' own server only.
    const apiKey = options.apiKey ?? (options.baseUrl === undefined ? secretVariable(process.env, 'OPENAI_API_KEY') : undefined);
    this.hasAccess = (apiKey ?? baseURL) !== undefined;
    this.structuredOutputs = options.structuredOutputs ?? baseURL === undefined;
    this.vendor = openAiVendor(this.api === 'chat' ? 'the chat completions API' : 'the Responses API');
    const { OpenAI } = sdk();
    const client = {
      apiKey: apiKey ?? NO_KEY,
      ...optional({ baseURL, defaultHeaders: options.headers }),
      fetch: withEnvelopes(options.fetch),
      maxRetries: 0,
      timeout: this.timeoutMs,
      logLevel: 'off', // the SDK prints whole events when one does not parse
    } as const;
    this.client = clientFor('OPENAI', options.baseUrl, () => new OpenAI(client));
    if (this.api === 'responses') this.countTokens = (request, signal) => this.count(request, signal);
  }

  /**
   * One model request, streamed.
   * @throws ModelFailure, classified; or the signal's own reason when the signal aborted
   */
  async request(modelRequest: ModelRequest, callbacks: ModelCallbacks): Promise<ModelResponse> {
    callbacks.signal.throwIfAborted();
    const request = this.withFiles(modelRequest);
    const context = this.context(request.model);
    const limit = new TimeLimit(callbacks.signal, this.timeoutMs, context);
    try {
      if (this.api === 'responses') {
        const answer = new ResponsesAccumulator();
        const requestId = await this.read('/responses', toResponsesBody(request, this.name, this.structuredOutputs), {
          answer,
          limit,
          context,
          callbacks,
        });
        return answer.finish(requestId, request.model);
      }
      const dialect = {
        provider: this.name,
        maxTokensField: this.options.maxTokensField ?? 'max_completion_tokens',
        structuredOutputs: this.structuredOutputs,
      } as const;
      const body = toChatBody(request, dialect);
      const answer = new ChatAccumulator();
      const requestId = await this.read('/chat/completions', body, { answer, limit, context, callbacks });
      return answer.finish(requestId, request.model, JSON.stringify(body).length);
    } finally {
      limit.abort();
    }
  }

  /** Other servers of the protocol have no field for it in common. */
  thinkingFault(thinking: Thinking, { model }: ThinkingModel): string | null {
    if (this.name !== OPENAI)
      return 'servers of this protocol have no common setting for it: put the field of yours into `options` of the model, such as { reasoning_effort: "low" }';
    const result = openAiThinking(thinking, model, this.api);
    return 'fault' in result ? result.fault : null;
  }

  private async count(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const body = toCountBody(toResponsesBody(this.withFiles(request), this.name, this.structuredOutputs));
    const { input_tokens } = await this.client.post<{ input_tokens: number }>('/responses/input_tokens', { body, signal });
    return input_tokens;
  }

  private withFiles({ messages, ...others }: ModelRequest): ModelRequest {
    return { ...others, messages: withTakenFiles(messages, this.options.files ?? OPENAI_FILES) };
  }

  /** @throws Error without a key, unless there is an address: another server may need none */
  checkSetup(): void {
    if (!this.hasAccess) throw new Error('OPENAI_API_KEY is not set: set it, or `apiKey` of the model.');
  }

  faultsOf({ tools, serverTools }: Pick<ModelRequest, 'tools' | 'serverTools'>): string[] {
    const loose = looseTools('openai', tools);
    const long = tools
      .filter(({ name }) => name.length > LONGEST_NAME)
      .map(({ name }) => `the name of the tool ${name} is too long`);
    const own =
      this.api === 'chat' ? serverTools.map(({ type }) => `chat completions have no tool ${String(type)} of their own`) : [];
    return [...long, ...loose, ...own];
  }

  private async read(
    path: string,
    body: JsonObject,
    {
      answer,
      limit,
      context,
      callbacks,
    }: { answer: Accumulator; limit: TimeLimit; context: FailureContext; callbacks: ModelCallbacks },
  ): Promise<string | null> {
    const source = { requestId: null as string | null };
    for await (const event of this.events(path, body, limit, context, { source, callbacks })) {
      const text = answer.push(event);
      if (text) callbacks.onText?.(text);
    }
    limit.release();
    return source.requestId;
  }

  /** The stream's events. What the SDK throws is classified here, so that a failing `onText` is no failure of the model. */
  private async *events(
    path: string,
    body: JsonObject,
    limit: TimeLimit,
    context: FailureContext,
    { source, callbacks }: { source: { requestId: string | null }; callbacks: ModelCallbacks },
  ): AsyncGenerator<JsonObject> {
    try {
      const request = this.client.post<AsyncIterable<unknown>>(path, { body, stream: true, signal: limit.signal });
      const { data, response } = await request.withResponse();
      source.requestId = response.headers.get('x-request-id');
      tellRates(callbacks, response.headers);
      const type = response.headers.get('content-type') ?? 'no content type';
      if (!/^text\/event-stream\b/i.test(type))
        throw foreignAnswer(`it answered with ${type}, not with a stream of events`, context);
      for await (const event of data) {
        if (!isJsonObject(event)) throw foreignAnswer(`an event is ${JSON.stringify(event).slice(0, 200)}`, context);
        failIfError(event);
        yield event;
      }
    } catch (error) {
      limit.throwIfOver();
      throw error instanceof SyntaxError ? foreignAnswer('an event is no JSON', context) : classifyFailure(error, context);
    }
    limit.throwIfOver(); // an aborted stream may end as if it were complete
  }

  private context(model: string): FailureContext {
    return {
      vendor: this.vendor,
      model,
      baseUrl: this.client.baseURL,
      secrets: [
        this.options.apiKey,
        this.client.apiKey ?? undefined,
        ...secretsIn(Object.values(this.options.headers ?? {})),
        ...headerSecrets('OPENAI'),
      ],
    };
  }
}

/** The Responses API reports failures as events of its own. */
function failIfError(event: JsonObject): void {
  const { APIError } = sdk();
  if (event.type === 'error') throw new APIError(undefined, event, undefined, undefined);
  if (event.type !== 'response.failed' || !isJsonObject(event.response ?? null)) return;
  throw new APIError(undefined, (event.response as JsonObject).error ?? {}, undefined, undefined);
}
