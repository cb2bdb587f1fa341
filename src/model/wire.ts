/**
 * ModelRequest → body of `POST /v1/messages`. Pure: what goes over the wire is a function of the
 * request, so that an audit can compute it again.
 */
import type { JsonObject } from '../shared/json';
import type { ModelMessage, ModelRequest } from './provider';

/** The body as the Messages API takes it; `stream` is always on. */
export interface WireBody extends JsonObject {
  model: string;
  max_tokens: number;
  stream: true;
  messages: JsonObject[];
}

/**
 * Fields that an agent's `modelOptions` cannot set: they are what admission, budget and audit rely
 * on, and a tool slipped in here would be one that nothing admits.
 */
export const RESERVED_OPTIONS = ['model', 'max_tokens', 'messages', 'tools', 'stream', 'system', 'mcp_servers'] as const;

/** Maps a request. Reserved options are left out; empty `system` and `tools` are not sent, because the API refuses them. */
export function toWire(request: ModelRequest): WireBody {
  const tools = [
    ...request.tools.map(({ name, description, input_schema }): JsonObject => ({ name, description, input_schema })),
    ...request.serverTools,
  ];
  return {
    ...allowedOptions(request.options),
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...(request.system.trim() === '' ? {} : { system: request.system }),
    ...(tools.length === 0 ? {} : { tools }),
    messages: alternating(request.messages.flatMap(wireMessage)),
  };
}

function allowedOptions(options: JsonObject): JsonObject {
  const reserved: readonly string[] = RESERVED_OPTIONS;
  return Object.fromEntries(Object.entries(options).filter(([key]) => key !== '__proto__' && !reserved.includes(key)));
}

interface WireMessage extends JsonObject {
  role: ModelMessage['role'];
  content: JsonObject[];
}

/** The API answers some turns with an empty text block or none at all, and refuses both when they come back. */
function wireMessage(message: ModelMessage): WireMessage[] {
  const content = message.content.filter((block) => !(block.type === 'text' && block.text === ''));
  return content.length === 0 ? [] : [{ role: message.role, content }];
}

/** Messages of one role in a row are one to the API (results and a word of the user, a turn that failed and the next one). */
function alternating(messages: WireMessage[]): JsonObject[] {
  const out: WireMessage[] = [];
  for (const { role, content } of messages) {
    const last = out.at(-1);
    if (last?.role === role) last.content = [...last.content, ...content];
    else out.push({ role, content });
  }
  return out;
}
