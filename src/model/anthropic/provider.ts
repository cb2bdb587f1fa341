/**
 * Calls the Messages API through the official SDK. The SDK's own retries are off: Temporal does them. The raw events are put
 * together here, because the SDK's message would lose the text of tool inputs.
 */
import type { Anthropic } from '@anthropic-ai/sdk';
import { type JsonObject, isJsonObject, type Json } from '../../shared/json/json';
import { MessageAccumulator } from './accumulate';
import { eventsOf, toWire, type WireBody } from './wire';
import { classifyFailure, type FailureContext } from '../failure';
import { DEFAULT_TIMEOUT_MS, TimeLimit } from '../time-limit';
import { looseTools } from '../schemas/subsets';
import { sdk } from './sdk';
import { ANTHROPIC } from './vendor';
import type { ModelCallbacks, ModelProvider, ModelRequest, ModelResponse } from '../provider';
import { optional } from '../../shared/json/optional';

export interface AnthropicOptions {
  /** Default: what the SDK finds in the environment (`ANTHROPIC_API_KEY`), unless there is an `authToken`. */
  apiKey?: string;
  /** Sent as a bearer token instead of a key. Default: `ANTHROPIC_AUTH_TOKEN`. */
  authToken?: string;
  /** Default: `ANTHROPIC_BASE_URL`, else the vendor's. */
  baseUrl?: string;
  /** Time limit of one whole request, its stream included, ms. @default 600000 */
  timeoutMs?: number;
  /** Shown in logs and audits. @default 'anthropic' */
  name?: string;
  /** For tests: replaces the network. */
  fetch?: typeof fetch;
}

/** A user's own server may need no key; without one, the SDK would search all over the machine. */
const NO_KEY = 'none';

function credentialOf({ apiKey, authToken, baseUrl }: AnthropicOptions): { apiKey?: string; authToken?: string } {
  if (apiKey !== undefined) return { apiKey };
  if (authToken !== undefined) return { authToken };
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_BASE_URL: url } = process.env;
  return key || token || !(baseUrl ?? url) ? {} : { apiKey: NO_KEY };
}

export class AnthropicProvider implements ModelProvider {
  readonly name: string;
  private readonly client: Anthropic;
  private readonly timeoutMs: number;

  constructor(private readonly options: AnthropicOptions = {}) {
    this.name = options.name ?? 'anthropic';
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const { Anthropic } = sdk();
    this.client = new Anthropic({
      ...credentialOf(options),
      ...optional({ baseURL: options.baseUrl, fetch: options.fetch }),
      maxRetries: 0,
      timeout: this.timeoutMs,
      logLevel: 'off', // the SDK prints whole events when one does not parse
    });
  }

  faultsOf({ tools }: Pick<ModelRequest, 'tools'>): string[] {
    return looseTools('anthropic', tools);
  }

  /**
   * One model request, streamed.
   * @throws ModelFailure, classified; or the signal's own reason when the signal aborted
   */
  async request(request: ModelRequest, callbacks: ModelCallbacks): Promise<ModelResponse> {
    callbacks.signal.throwIfAborted();
    const body = withCacheBreakpoints(toWire(request, this.name));
    const limit = new TimeLimit(callbacks.signal, this.timeoutMs, this.context(request.model));
    const accumulator = new MessageAccumulator();
    const source = { requestId: null as string | null };
    try {
      for await (const event of this.events(body, limit, request.model, source)) {
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
  private async *events(body: JsonObject, limit: TimeLimit, model: string, source: { requestId: string | null }) {
    try {
      const request = this.client.messages.create(body as unknown as Anthropic.MessageCreateParamsStreaming, {
        signal: limit.signal,
      });
      const response = await request.asResponse();
      source.requestId = response.headers.get('request-id');
      yield* eventsOf(response, this.context(model));
    } catch (error) {
      limit.throwIfOver();
      throw classifyFailure(error, this.context(model));
    }
    limit.throwIfOver(); // an aborted stream may end as if it were complete
  }

  private context(model: string): FailureContext {
    const secrets = [
      this.options.apiKey,
      this.options.authToken,
      this.client.apiKey ?? undefined,
      this.client.authToken ?? undefined,
    ];
    return { vendor: ANTHROPIC, model, baseUrl: this.client.baseURL, secrets };
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
