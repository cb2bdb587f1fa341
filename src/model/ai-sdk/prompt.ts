/** Converts a ModelRequest into the options of `doStream`. Pure, and the same for every attempt. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { withoutForeignBlocks } from '../vendor-answers';
import { OwnAnswers } from '../vendor-answers';
import { nativeResult } from '../prompted/native-result';
import type { ModelRequest, ModelTool } from '../provider';
import { repairConversation } from '../repair-conversation';
import { strictSchema } from '../schemas/strict';
import { withTakenFiles, type TakenFiles } from '../taken-files';
import { filesTakenBy, resultsTakeFiles, subsetOf, withThinking } from './vendor';

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
  /** Default: what is known of the vendor. */
  files?: TakenFiles;
}

/** @param provider whose answers are its own */
export function toCallOptions(
  modelRequest: ModelRequest,
  provider: string,
  version: Version,
  dialect: CallDialect = {},
): JsonObject & { prompt: JsonObject[]; maxOutputTokens: number } {
  const { vendorName = provider, modelId = modelRequest.model, structuredOutputs = false } = dialect;
  const { files = filesTakenBy(vendorName) } = dialect;
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
    prompt: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      ...promptOf({ ...request, messages: withTakenFiles(request.messages, files) }, { provider, version, vendorName }),
    ],
  };
}

/**
 * The packages of OpenAI, Azure and xAI let the vendor keep answers, and send references to them, which mean nothing after 30 days: a
 * turn may wait longer, and a session may go on later. So nothing is kept there, and reasoning goes back encrypted, unless the options
 * say otherwise.
 */
function withoutStore(vendorName: string, options: Json | undefined): Json | undefined {
  const [, vendor] = /^(openai|azure|xai)\b.*\bresponses$/.exec(vendorName) ?? [];
  if (vendor === undefined) return options;
  const all = isJsonObject(options ?? null) ? (options as JsonObject) : {};
  const own = all[vendor] ?? (vendor === 'azure' ? all.openai : null) ?? null; // Azure's package reads either
  return { ...all, [vendor]: { store: false, ...(isJsonObject(own) ? own : {}) } };
}

function toTool({ name, description, input_schema, strict }: ModelTool, vendorName: string): JsonObject {
  const subset = subsetOf(vendorName);
  const fitting = strict && subset !== null ? strictSchema(input_schema, subset).schema : null;
  const isStrict = strict === true && (subset === null || fitting !== null);
  return { type: 'function', name, description, inputSchema: fitting ?? input_schema, ...(isStrict ? { strict: true } : {}) };
}

function promptOf({ messages }: ModelRequest, { provider, version, vendorName }: Speaker): JsonObject[] {
  const own = new OwnAnswers(messages, provider);
  const names = new Map<Json | undefined, Json>();
  const takesFiles = resultsTakeFiles(vendorName);
  return repairConversation(withoutForeignBlocks(messages, provider), false).flatMap(({ role, content }): JsonObject[] => {
    if (role === 'user') return userMessages(content, { names, version, vendorName, takesFiles });
    for (const { type, id, name } of content) if (type === 'tool_use') names.set(id, name ?? '');
    const raw = own.rawOf(content);
    return [{ role, content: Array.isArray(raw) ? raw : content.flatMap(assistantPart) }];
  });
}

interface Speaker {
  provider: string;
  version: Version;
  vendorName: string;
}

function assistantPart({ type, text, id, name, input }: JsonObject): JsonObject[] {
  if (type === 'text') return [{ type, text: text ?? '' }];
  return type === 'tool_use' ? [{ type: 'tool-call', toolCallId: id ?? '', toolName: name ?? '', input: input ?? {} }] : [];
}

interface UserContext {
  names: ReadonlyMap<Json | undefined, Json>;
  version: Version;
  vendorName: string;
  takesFiles: boolean;
}

function userMessages(content: readonly JsonObject[], { names, version, vendorName, takesFiles }: UserContext): JsonObject[] {
  const results = content.filter(({ type }) => type === 'tool_result');
  const parts = [
    ...(takesFiles ? [] : results.flatMap((result) => filesAfter(result, version))),
    ...content.filter(({ type }) => type !== 'tool_result').flatMap((block) => inputParts(block, version)),
  ];
  const outputs = results.map((result) => ({
    type: 'tool-result',
    toolCallId: result.tool_use_id ?? '',
    toolName: names.get(result.tool_use_id) ?? '',
    output: outputOf(result, version, takesFiles),
  }));
  return [
    ...(outputs.length === 0 ? [] : [{ role: 'tool', content: outputs }]),
    ...(outputs.length > 0 && parts.length > 0 && /^mistral\b/.test(vendorName) ? [BETWEEN] : []),
    ...(parts.length === 0 ? [] : [{ role: 'user', content: parts }]),
  ];
}

/** Mistral's API refuses a message of the user right after a result. */
const BETWEEN: JsonObject = { role: 'assistant', content: [{ type: 'text', text: 'I have read the results.' }] };

// Files. Where a package cannot put the files of a result into the result, they follow in a message of the user, as in chat completions.

/** The parts of a user's message. */
function inputParts(block: JsonObject, version: Version): JsonObject[] {
  const text = textOf(block);
  if (text !== null) return [{ type: 'text', text }];
  const file = fileOf(block);
  if (file === null) return [];
  const { data, mediaType, title } = file;
  const wrapped = version === 'v3' ? data : { type: 'data', data };
  return [{ type: 'file', mediaType, data: wrapped, ...(title === null ? {} : { filename: title }) }];
}

/** The output of a call; its files too, if `takesFiles`. */
function outputOf({ content, is_error }: JsonObject, version: Version, takesFiles: boolean): JsonObject {
  const blocks = blocksIn(content);
  if (takesFiles && blocks.some((block) => fileOf(block) !== null))
    return { type: 'content', value: blocks.flatMap((block) => outputParts(block, version)) };
  const text = blocks.flatMap((block) => textOf(block) ?? []).join('\n\n');
  return { type: is_error === true ? 'error-text' : 'text', value: text };
}

/** The files of a result, for the message after it. */
function filesAfter({ content, tool_use_id }: JsonObject, version: Version): JsonObject[] {
  const files = blocksIn(content).filter((block) => fileOf(block) !== null);
  if (files.length === 0) return [];
  const text = `Files in the result of call ${String(tool_use_id ?? '')}:`;
  return [{ type: 'text', text }, ...files.flatMap((block) => inputParts(block, version))];
}

function outputParts(block: JsonObject, version: Version): JsonObject[] {
  const file = fileOf(block);
  if (version === 'v4' || file === null) return inputParts(block, version);
  const { data, mediaType, title } = file;
  if (block.type === 'image') return [{ type: 'image-data', data, mediaType }];
  return [{ type: 'file-data', data, mediaType, ...(title === null ? {} : { filename: title }) }];
}

function blocksIn(content: Json | undefined): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** A document of text is text: few packages take it as a file. */
function textOf({ type, text = '', source = null, title }: JsonObject): string | null {
  if (type === 'text') return String(text);
  if (type !== 'document' || !isJsonObject(source) || source.type !== 'text') return null;
  const data = String(source.data ?? '');
  return typeof title === 'string' && title !== '' ? `${title}\n\n${data}` : data;
}

/** A file that the message holds itself, in base64. */
function fileOf({ type, source = null, title }: JsonObject): { data: string; mediaType: string; title: string | null } | null {
  if ((type !== 'image' && type !== 'document') || !isJsonObject(source) || source.type !== 'base64') return null;
  const { media_type: mediaType, data } = source;
  if (typeof data !== 'string' || typeof mediaType !== 'string') return null;
  return { data, mediaType, title: typeof title === 'string' ? title : null };
}
