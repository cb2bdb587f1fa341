/** Converts a ModelRequest into the options of `doStream`. Pure, and the same for every attempt. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { withoutForeignBlocks } from '../vendor-answers';
import { OwnAnswers } from '../vendor-answers';
import { nativeResult } from '../prompted/native-result';
import type { ModelRequest, ModelTool } from '../provider';
import { repairConversation } from '../repair-conversation';
import { strictSchema } from '../schemas/strict';
import { subsetOf, withThinking } from './vendor';

type Version = 'v3' | 'v4';

/** Fields of the call options that an agent's `modelOptions` cannot set. */
const RESERVED_FIELDS: readonly string[] = [
  'prompt',
  'tools',
  'toolChoice',
  'maxOutputTokens',
  'abortSignal',
  'includeRawChunks',
  'headers',
];

export interface CallDialect {
  /** The package's name of itself. Default: the provider's. */
  vendorName?: string;
  /** The vendor's id of the model. Default: that of the request. */
  modelId?: string;
  /** The package is asked for a schema on the last answer (`responseFormat`). */
  structuredOutputs?: boolean;
}

/** @param provider whose answers are its own */
export function toCallOptions(
  modelRequest: ModelRequest,
  provider: string,
  version: Version,
  { vendorName = provider, modelId = modelRequest.model, structuredOutputs = false }: CallDialect = {},
): JsonObject & { prompt: JsonObject[]; maxOutputTokens: number } {
  const native = structuredOutputs ? nativeResult(modelRequest, subsetOf(vendorName)) : null;
  const request = native?.request ?? modelRequest;
  const { system, tools, maxTokens } = request;
  const named = { provider: vendorName, modelId, specificationVersion: version };
  const options = withThinking(request, named);
  const { tool_choice, ...others } = options;
  const allowed = Object.fromEntries(
    Object.entries(others).filter(([key]) => key !== '__proto__' && !RESERVED_FIELDS.includes(key)),
  );
  const providerOptions = withoutStore(vendorName, allowed.providerOptions);
  const forbidden = isJsonObject(tool_choice ?? null) && (tool_choice as JsonObject).type === 'none';
  return {
    ...allowed,
    ...optional({ providerOptions }),
    ...(native ? { responseFormat: { type: 'json', schema: native.schema, name: 'result' } } : {}),
    maxOutputTokens: maxTokens,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => toTool(tool, vendorName)),
          ...(forbidden ? { toolChoice: { type: 'none' } } : {}),
        }),
    prompt: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...promptOf(request, provider, version)],
  };
}

/**
 * OpenAI's package lets the vendor keep answers, and sends references to them, which mean nothing after 30 days: a turn may wait
 * longer, and a session may go on later. So nothing is kept there, and reasoning goes back encrypted, unless the options say otherwise.
 */
function withoutStore(vendorName: string, options: Json | undefined): Json | undefined {
  const [, vendor] = /^(openai|azure)\b.*\bresponses$/.exec(vendorName) ?? [];
  if (vendor === undefined) return options;
  const all = isJsonObject(options ?? null) ? (options as JsonObject) : {};
  const own = all[vendor] ?? all.openai ?? null; // Azure's package reads either
  return { ...all, [vendor]: { store: false, ...(isJsonObject(own) ? own : {}) } };
}

function toTool({ name, description, input_schema, strict }: ModelTool, vendorName: string): JsonObject {
  const subset = subsetOf(vendorName);
  const fitting = strict && subset !== null ? strictSchema(input_schema, subset).schema : null;
  const isStrict = strict === true && (subset === null || fitting !== null);
  return { type: 'function', name, description, inputSchema: fitting ?? input_schema, ...(isStrict ? { strict: true } : {}) };
}

function promptOf({ messages }: ModelRequest, provider: string, version: Version): JsonObject[] {
  const own = new OwnAnswers(messages, provider);
  const names = new Map<Json | undefined, Json>();
  return repairConversation(withoutForeignBlocks(messages, provider), false).flatMap(({ role, content }): JsonObject[] => {
    if (role === 'user') return userMessages(content, names, version);
    for (const { type, id, name } of content) if (type === 'tool_use') names.set(id, name ?? '');
    const raw = own.rawOf(content);
    return [{ role, content: Array.isArray(raw) ? raw : content.flatMap(assistantPart) }];
  });
}

function assistantPart({ type, text, id, name, input }: JsonObject): JsonObject[] {
  if (type === 'text') return [{ type, text: text ?? '' }];
  return type === 'tool_use' ? [{ type: 'tool-call', toolCallId: id ?? '', toolName: name ?? '', input: input ?? {} }] : [];
}

function userMessages(
  content: readonly JsonObject[],
  names: ReadonlyMap<Json | undefined, Json>,
  version: Version,
): JsonObject[] {
  const results = content.filter(({ type }) => type === 'tool_result');
  const parts = content.filter(({ type }) => type !== 'tool_result').flatMap((block) => inputParts(block, version));
  return [
    ...(results.length === 0
      ? []
      : [
          {
            role: 'tool',
            content: results.map((result) => ({
              type: 'tool-result',
              toolCallId: result.tool_use_id ?? '',
              toolName: names.get(result.tool_use_id) ?? '',
              output: outputOf(result, version),
            })),
          },
        ]),
    ...(parts.length === 0 ? [] : [{ role: 'user', content: parts }]),
  ];
}

function outputOf({ content, is_error }: JsonObject, version: Version): JsonObject {
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content.filter(isJsonObject) : [];
  const text = blocks.flatMap((block) => (block.type === 'text' ? [String(block.text ?? '')] : [])).join('\n\n');
  if (blocks.every(({ type }) => type === 'text')) return { type: is_error === true ? 'error-text' : 'text', value: text };
  return { type: 'content', value: blocks.flatMap((block) => outputParts(block, version)) };
}

function inputParts(block: JsonObject, version: Version): JsonObject[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text ?? '' }];
  const file = fileOf(block);
  if (file === null) return [];
  const { data, mediaType, title } = file;
  const wrapped = version === 'v3' ? data : { type: 'data', data };
  return [{ type: 'file', mediaType, data: wrapped, ...(title === null ? {} : { filename: title }) }];
}

function outputParts(block: JsonObject, version: Version): JsonObject[] {
  if (version === 'v4' || block.type === 'text') return inputParts(block, version);
  const file = fileOf(block);
  if (file === null) return [];
  const { data, mediaType } = file;
  return [{ type: block.type === 'image' ? 'image-data' : 'file-data', data, mediaType }];
}

/** A file that the message holds itself, in base64. */
function fileOf({ type, source, title }: JsonObject): { data: string; mediaType: string; title: string | null } | null {
  if ((type !== 'image' && type !== 'document') || !isJsonObject(source ?? null)) return null;
  const { type: kind, media_type, data } = source as JsonObject;
  if (typeof data !== 'string' || typeof media_type !== 'string') return null;
  const bytes = kind === 'text' ? Buffer.from(data).toString('base64') : data;
  return { data: bytes, mediaType: media_type, title: typeof title === 'string' ? title : null };
}
