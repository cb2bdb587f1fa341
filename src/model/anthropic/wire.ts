/**
 * Converts a ModelRequest into the body of `POST /v1/messages`. Pure: the body is a function of the request, so that an audit can
 * compute it again.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { withoutForeignBlocks } from '../vendor-answers';
import { ANTHROPIC_PROVIDER, type ModelRequest, type ModelTool } from '../provider';
import { nativeResult } from '../prompted/native-result';
import { repairConversation, type WireMessage } from '../repair-conversation';
import { ANTHROPIC_FILES, withTakenFiles } from '../taken-files';
import { foreignAnswer, type FailureContext } from '../failure';
import { ANTHROPIC_SUBSET } from '../schemas/subsets';
import { strictSchema } from '../schemas/strict';
import { sdk, sdkStreaming, withThinking } from './vendor';

/** The body as the Messages API takes it; `stream` is always on. */
export interface WireBody extends JsonObject {
  model: string;
  max_tokens: number;
  stream: true;
  messages: JsonObject[];
}

/**
 * Fields that an agent's `modelOptions` cannot set: admission, budget and audit rely on them, and a tool that was set here would
 * bypass admission.
 */
export const RESERVED_OPTIONS = ['model', 'max_tokens', 'messages', 'tools', 'stream', 'system', 'mcp_servers'] as const;

export interface WireOptions {
  /** Who is asked; answers without an origin count as its own, whatever name it has. */
  provider?: string;
  /** The server enforces a schema on the last answer. */
  structuredOutputs?: boolean;
}

/** Maps a request. Reserved options are left out; empty `system` and `tools` are not sent, because the API refuses them. */
export function toWire(
  modelRequest: ModelRequest,
  { provider = ANTHROPIC_PROVIDER, structuredOutputs = false }: WireOptions = {},
): WireBody {
  const native = structuredOutputs ? nativeResult(modelRequest, ANTHROPIC_SUBSET) : null;
  const plain = native?.request ?? modelRequest;
  const request = { ...plain, options: withThinking(plain) };
  const tools = [...request.tools.map(toTool), ...request.serverTools];
  const sendable = withTakenFiles(request.messages, ANTHROPIC_FILES);
  const own = withoutForeignBlocks(sendable, provider, provider);
  const messages = repairConversation(own, request.container !== undefined);
  return {
    ...fitting(allowedOptions(request.options), { messages, tools }),
    ...(native
      ? { output_config: { ...outputOptions(request.options), format: { type: 'json_schema', schema: native.schema } } }
      : {}),
    ...containerOf(request),
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...(request.system.trim() === '' ? {} : { system: request.system }),
    ...(tools.length === 0 ? {} : { tools }),
    messages,
  };
}

/** The fields that `POST /v1/messages/count_tokens` takes; it refuses others. */
const COUNTED_FIELDS: readonly string[] = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config'];

export function toCountBody(body: WireBody): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([field]) => COUNTED_FIELDS.includes(field)));
}

/** The agent's own options for the answer, such as its effort. */
function outputOptions({ output_config: own = null }: JsonObject): JsonObject {
  return isJsonObject(own) ? own : {};
}

/** The vendor refuses a request with a strict schema that it cannot enforce, so that such a tool goes without. */
function toTool({ name, description, input_schema, strict }: ModelTool): JsonObject {
  const fitting = strict ? strictSchema(input_schema, ANTHROPIC_SUBSET).schema : null;
  return { name, description, input_schema: fitting ?? input_schema, ...(fitting === null ? {} : { strict: true }) };
}

function allowedOptions(options: JsonObject): JsonObject {
  const reserved: readonly string[] = RESERVED_OPTIONS;
  return Object.fromEntries(Object.entries(options).filter(([key]) => key !== '__proto__' && !reserved.includes(key)));
}

/** Skills that the agent's options name go into the existing container. */
function containerOf({ container, options }: ModelRequest): JsonObject {
  if (container === undefined) return {};
  return {
    container: isJsonObject(options.container ?? null) ? { ...(options.container as JsonObject), id: container } : container,
  };
}

/**
 * The options that the API accepts with this conversation: no tool choice without tools, and no thinking if the last answer called
 * tools without a thought that can be sent back.
 */
function fitting(options: JsonObject, { messages, tools }: { messages: WireMessage[]; tools: JsonObject[] }): JsonObject {
  const { tool_choice, ...others } = options;
  const out = tool_choice === undefined || tools.length === 0 ? others : options;
  const thinking = out.thinking ?? null;
  const answer = messages.findLast(({ role }) => role === 'assistant')?.content ?? [];
  const hasThinking = answer[0]?.type === 'thinking' || answer[0]?.type === 'redacted_thinking';
  const isEnabled = isJsonObject(thinking) && thinking.type === 'enabled';
  if (!isEnabled || hasThinking || !answer.some(({ type }) => type === 'tool_use')) return out;
  return { ...out, thinking: { type: 'disabled' } };
}

// The events of a streamed answer, read strictly: anything that is no event of the Messages API is an error at once.

/** @throws ModelFailure for an answer of another API; APIError for an error event in the stream; what the connection throws */
export async function* eventsOf(response: Response, context: FailureContext): AsyncGenerator<JsonObject> {
  const type = response.headers.get('content-type') ?? 'no content type';
  if (!/^text\/event-stream\b/i.test(type)) throw foreignAnswer(`it answered with ${type}, not with a stream of events`, context);
  let hasBegun = false;
  for await (const { event, data } of sdkStreaming().Stream.rawEvents(response)) {
    if (event === 'ping' || data === '') continue;
    const body = parseObject(data);
    if (event === 'error')
      throw new (sdk().APIError)(undefined, body ?? { error: { message: data } }, undefined, response.headers);
    if (body === null || typeof body.type !== 'string' || (!hasBegun && body.type !== 'message_start'))
      throw foreignAnswer(`${hasBegun ? 'an event' : 'its first event'} is ${JSON.stringify(data.slice(0, 200))}`, context);
    hasBegun = true;
    yield body;
  }
}

function parseObject(data: string): JsonObject | null {
  try {
    const body = JSON.parse(data) as unknown;
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}
