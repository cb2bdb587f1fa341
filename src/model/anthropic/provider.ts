/**
 * Calls the Messages API through the official SDK. The SDK's own retries are off: Temporal does them. The raw events are put
 * together here, because the SDK's message would lose the text of tool inputs.
 */
import type { Anthropic } from '@anthropic-ai/sdk';
import { type JsonObject, isJsonObject, type Json } from '../../shared/json/json';
import { MessageAccumulator } from './accumulate';
import { eventsOf, toCountBody, toWire, type WireBody } from './wire';
import { classifyFailure, type FailureContext, type Vendor } from '../failure';
import { tellRates } from '../limits/vendor-room';
import { DEFAULT_TIMEOUT_MS, TimeLimit } from '../time-limit';
import { looseTools } from '../schemas/subsets';
import type { Thinking, ThinkingModel } from '../thinking';
import { ANTHROPIC, anthropicThinking, sdk } from './vendor';
import type { ModelCallbacks, ModelProvider, ModelRequest, ModelResponse } from '../provider';
import { optional } from '../../shared/json/optional';
import { secretsIn } from '../../shared/text/secrets';
import { clientFor, headerSecrets, secretVariable } from '../../config/secret-variable';

/** What any of Anthropic's platforms takes. */
export interface RequestOptions {
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>;
  /** Whether requests ask the vendor to cache what the next one repeats. @default true */
  cacheControl?: boolean;
  /**
   * Lets the vendor enforce an agent's result schema on the last answer. Default: for Anthropic's own API and its models from 4.5 on;
   * elsewhere the model gives its result by a call.
   */
  structuredOutputs?: boolean;
  /** Time limit of one whole request, its stream included, ms. @default 600000 */
  timeoutMs?: number;
}

/** What every client of the SDK gets. */
export interface ClientOptions {
  maxRetries: 0;
  timeout: number;
  logLevel: 'off';
  openTelemetry: { traces: false; propagation: false };
  defaultHeaders?: Readonly<Record<string, string>>;
}

/** Another place where Anthropic's models are, with an SDK of its own. */
export interface AnthropicPlatform {
  client(options: ClientOptions): Anthropic;
  vendor: Vendor;
  /** Whether it has a route that counts the tokens of a request. */
  countsTokens: boolean;
  /** Literal secrets to remove from messages. */
  secrets: readonly (string | undefined)[];
}

export interface AnthropicOptions extends RequestOptions {
  /** Default: `ANTHROPIC_API_KEY`, unless there is an `authToken` or a `baseUrl`. */
  apiKey?: string;
  /** Sent as a bearer token instead of a key. Default: `ANTHROPIC_AUTH_TOKEN`, unless there is a `baseUrl`. */
  authToken?: string;
  /** Default: `ANTHROPIC_BASE_URL`, else the vendor's. */
  baseUrl?: string;
  /** Shown in logs and audits. @default 'anthropic' */
  name?: string;
  /** For tests: replaces the network. */
  fetch?: typeof fetch;
  /** In place of Anthropic's own API; `apiKey`, `authToken`, `baseUrl` and `fetch` do not count then. */
  platform?: AnthropicPlatform;
}

/** By the vendor's documentation: Opus 4.1, and all models from 4.5 on. */
const WITH_STRUCTURED_OUTPUTS = /^claude-(opus-4-1|[a-z]+-4-[5-9]|[a-z]+-([5-9]|[1-9]\d)\b)/;

/** A user's own server may need no key; without one, the SDK would search all over the machine. */
const NO_KEY = 'none';

/** Null: there is none. The settings' own go to the settings' own server only. */
function credentialOf({ apiKey, authToken, baseUrl }: AnthropicOptions): { apiKey: string } | { authToken: string } | null {
  if (apiKey !== undefined) return { apiKey };
  if (authToken !== undefined) return { authToken };
  if (baseUrl !== undefined) return null;
  const key = secretVariable(process.env, 'ANTHROPIC_API_KEY');
  if (key !== undefined) return { apiKey: key };
  const token = secretVariable(process.env, 'ANTHROPIC_AUTH_TOKEN');
  return token === undefined ? null : { authToken: token };
}

export class AnthropicProvider implements ModelProvider {
  readonly name: string;
  readonly countTokens?: NonNullable<ModelProvider['countTokens']>;
  private readonly client: Anthropic;
  private readonly timeoutMs: number;
  /** Undefined: the vendor's own, or that of a platform. */
  private readonly baseUrl: string | undefined;
  private readonly hasAccess: boolean;

  constructor(private readonly options: AnthropicOptions = {}) {
    this.name = options.name ?? 'anthropic';
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const common: ClientOptions = {
      maxRetries: 0,
      timeout: this.timeoutMs,
      logLevel: 'off', // the SDK prints whole events when one does not parse
      openTelemetry: { traces: false, propagation: false }, // fallback.ts writes the span, and the vendor learns no trace ids
      ...optional({ defaultHeaders: options.headers }),
    };
    if (options.platform) {
      this.client = options.platform.client(common);
      this.hasAccess = true;
    } else {
      this.baseUrl = options.baseUrl ?? secretVariable(process.env, 'ANTHROPIC_BASE_URL');
      const credential = credentialOf(options);
      this.hasAccess = credential !== null || this.baseUrl !== undefined;
      const { Anthropic } = sdk();
      const server = optional({ baseURL: this.baseUrl, fetch: options.fetch });
      const client = { ...common, ...(credential ?? { apiKey: NO_KEY }), ...server };
      this.client = clientFor('ANTHROPIC', options.baseUrl, () => new Anthropic(client));
    }
    if (options.platform?.countsTokens ?? true) this.countTokens = (request, signal) => this.count(request, signal);
  }

  /** @throws Error without a key, unless there is an address: another server may need none */
  checkSetup(): void {
    if (!this.hasAccess) throw new Error('ANTHROPIC_API_KEY is not set: set it, or `apiKey` of the model.');
  }

  faultsOf({ tools }: Pick<ModelRequest, 'tools'>): string[] {
    return looseTools('anthropic', tools);
  }

  thinkingFault(thinking: Thinking, of: ThinkingModel): string | null {
    const result = anthropicThinking(thinking, of);
    return 'fault' in result ? result.fault : null;
  }

  /**
   * One model request, streamed.
   * @throws ModelFailure, classified; or the signal's own reason when the signal aborted
   */
  async request(request: ModelRequest, callbacks: ModelCallbacks): Promise<ModelResponse> {
    callbacks.signal.throwIfAborted();
    const wire = this.wire(request);
    const body = this.options.cacheControl === false ? wire : withCacheBreakpoints(wire);
    const limit = new TimeLimit(callbacks.signal, this.timeoutMs, this.context(request.model));
    const accumulator = new MessageAccumulator();
    const source = { requestId: null as string | null };
    try {
      for await (const event of this.events(body, limit, request.model, { source, callbacks })) {
        const text = accumulator.push(event);
        if (text) callbacks.onText?.(text);
      }
      limit.release();
      return accumulator.finish(source.requestId);
    } finally {
      limit.abort();
    }
  }

  /**
   * The stream's events. What the SDK throws is classified here, so that a failing `onText` does not count as a failure of the
   * model.
   */
  private async *events(
    body: JsonObject,
    limit: TimeLimit,
    model: string,
    { source, callbacks }: { source: { requestId: string | null }; callbacks: ModelCallbacks },
  ) {
    try {
      const request = this.client.messages.create(body as unknown as Anthropic.MessageCreateParamsStreaming, {
        signal: limit.signal,
      });
      const response = await request.asResponse();
      source.requestId = response.headers.get('request-id');
      tellRates(callbacks, response.headers);
      yield* eventsOf(response, this.context(model));
    } catch (error) {
      limit.throwIfOver();
      throw classifyFailure(error, this.context(model));
    }
    limit.throwIfOver(); // an aborted stream may end as if it were complete
  }

  private async count(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const body = toCountBody(this.wire(request));
    const { input_tokens } = await this.client.post<{ input_tokens: number }>('/v1/messages/count_tokens', { body, signal });
    return input_tokens;
  }

  private wire(request: ModelRequest): WireBody {
    return toWire(request, { provider: this.name, structuredOutputs: this.structuredOutputs(request.model) });
  }

  private structuredOutputs(model: string): boolean {
    const { structuredOutputs, platform } = this.options;
    return structuredOutputs ?? (!platform && !this.baseUrl && WITH_STRUCTURED_OUTPUTS.test(model));
  }

  private context(model: string): FailureContext {
    const secrets = [
      this.options.apiKey,
      this.options.authToken,
      this.client.apiKey ?? undefined,
      this.client.authToken ?? undefined,
      ...secretsIn(Object.values(this.options.headers ?? {})),
      ...headerSecrets('ANTHROPIC'),
    ];
    const { vendor = ANTHROPIC, secrets: more = [] } = this.options.platform ?? {};
    return { vendor, model, baseUrl: this.client.baseURL, secrets: [...secrets, ...more] };
  }
}

// Prompt caching: three breakpoints, on the last tool, the system prompt and the end of the conversation. The API matches prefixes
// in the order tools, system, messages. So the first two stay valid for every turn of an agent, and with the third each step reads
// what the step before wrote.

/** The API takes at most this many breakpoints in one request. */
export const MAX_BREAKPOINTS = 4;

const EPHEMERAL = { type: 'ephemeral' } as const;
const UNCACHEABLE = new Set(['thinking', 'redacted_thinking']);

/**
 * A copy of the body with its breakpoints; the input is not changed. Breakpoints are placed nowhere else: earlier ones on a tool or
 * block are removed, so that there are never more than {@link MAX_BREAKPOINTS}.
 */
export function withCacheBreakpoints(body: WireBody): WireBody {
  const out: WireBody = { ...body, messages: body.messages.map(bareMessage) };
  if (Array.isArray(body.tools)) out.tools = markLast(body.tools.map(bare), () => true);
  if (typeof body.system === 'string') out.system = [{ type: 'text', text: body.system, cache_control: EPHEMERAL }];
  const last = out.messages.at(-1);
  if (last !== undefined && Array.isArray(last.content)) {
    out.messages[out.messages.length - 1] = { ...last, content: markLast(last.content, cacheable) };
  }
  return out;
}

function bareMessage(message: JsonObject): JsonObject {
  return Array.isArray(message.content) ? { ...message, content: message.content.map(bare) } : message;
}

/** Removes breakpoints from a block and from the blocks inside it (a tool_result's). */
function bare(block: Json): Json {
  if (!isJsonObject(block)) return block;
  const { cache_control: _, ...rest } = block;
  return Array.isArray(rest.content) ? { ...rest, content: rest.content.map(bare) } : rest;
}

function cacheable(block: JsonObject): boolean {
  return !UNCACHEABLE.has(String(block.type)) && !(block.type === 'text' && block.text === '');
}

/** Puts a breakpoint on the last element that may carry one. */
function markLast(blocks: Json[], may: (block: JsonObject) => boolean): Json[] {
  const index = blocks.findLastIndex((block) => isJsonObject(block) && may(block));
  return blocks.map((block, i) => (i === index ? { ...(block as JsonObject), cache_control: EPHEMERAL } : block));
}
