/**
 * Converts a ModelRequest into the body of `POST /responses`. The vendor stores nothing (`store: false`): its own reasoning comes
 * encrypted, and goes back as it came. Pure, as chat-request.ts.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { withoutForeignBlocks } from '../vendor-answers';
import { OwnAnswers } from '../vendor-answers';
import type { ModelMessage, ModelRequest, ModelTool } from '../provider';
import { nativeResult } from '../prompted/native-result';
import { repairConversation } from '../repair-conversation';
import { fileParts } from './content-parts';
import { OPENAI_SUBSET } from '../schemas/subsets';
import { strictSchema } from '../schemas/strict';
import { cacheKeyOf, withThinking } from './vendor';

const RESERVED_FIELDS: readonly string[] = [
  'model',
  'input',
  'instructions',
  'tools',
  'stream',
  'store',
  'previous_response_id',
  'conversation',
  'background',
];

export function toResponsesBody(modelRequest: ModelRequest, provider: string, structuredOutputs = false): JsonObject {
  const native = structuredOutputs ? nativeResult(modelRequest, OPENAI_SUBSET) : null;
  const request = native?.request ?? modelRequest;
  const { model, system, tools, serverTools, maxTokens } = request;
  const { tool_choice, parallel_tool_calls, include, ...others } = allowedOptions(withThinking(request, 'responses'));
  const allTools = [...tools.map(toTool), ...serverTools];
  return {
    ...cacheKeyOf(request, provider),
    ...others,
    ...(native
      ? {
          text: {
            ...textOptions(others.text),
            format: { type: 'json_schema', name: 'result', schema: native.schema, strict: true },
          },
        }
      : {}),
    ...(allTools.length === 0
      ? {}
      : { ...optional({ tool_choice: choiceOf(tool_choice), parallel_tool_calls }), tools: allTools }),
    model,
    max_output_tokens: maxTokens,
    stream: true,
    store: false,
    include: [...new Set(['reasoning.encrypted_content', ...(Array.isArray(include) ? include : [])])],
    ...(system.trim() === '' ? {} : { instructions: system }),
    input: inputItems(request.messages, provider),
  };
}

/** The fields that `POST /responses/input_tokens` takes. */
const COUNTED_FIELDS: readonly string[] = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
];

export function toCountBody(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([field]) => COUNTED_FIELDS.includes(field)));
}

/**
 * Answers of this provider go back as they came, with their reasoning. All others are repaired as for the Messages API, whose rules
 * about calls and results are the same.
 */
function inputItems(messages: readonly ModelMessage[], provider: string): JsonObject[] {
  const repaired = repairConversation(withoutForeignBlocks(messages, provider), false);
  const own = new OwnAnswers(messages, provider);
  return repaired.flatMap(({ role, content }) => {
    if (role === 'user') return userItems(content);
    const raw = own.rawOf(content);
    return Array.isArray(raw) ? raw.filter(isJsonObject) : assistantItems(content);
  });
}

function assistantItems(content: readonly JsonObject[]): JsonObject[] {
  return content.flatMap(({ type, text, id, name, input }): JsonObject[] => {
    if (type === 'text') return [{ role: 'assistant', content: [{ type: 'output_text', text: text ?? '' }] }];
    if (type !== 'tool_use') return [];
    return [{ type: 'function_call', call_id: id ?? '', name: name ?? '', arguments: JSON.stringify(input ?? {}) }];
  });
}

function userItems(content: readonly JsonObject[]): JsonObject[] {
  const results = content.filter(({ type }) => type === 'tool_result');
  const own = partsOf(content.filter(({ type }) => type !== 'tool_result'));
  return [
    ...results.map((result) => ({
      type: 'function_call_output',
      call_id: result.tool_use_id ?? '',
      output: partsOf(blocksIn(result.content)),
    })),
    ...(own.length === 0 ? [] : [{ role: 'user', content: own }]),
  ];
}

function partsOf(blocks: readonly JsonObject[]): JsonObject[] {
  return blocks.flatMap((block): JsonObject[] =>
    block.type === 'text' ? [{ type: 'input_text', text: block.text ?? '' }] : fileParts([block], 'responses'),
  );
}

function blocksIn(content: Json | undefined): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function toTool({ name, description, input_schema, strict }: ModelTool): JsonObject {
  const fitting = strict ? strictSchema(input_schema, OPENAI_SUBSET).schema : null;
  return { type: 'function', name, description, parameters: fitting ?? input_schema, strict: fitting !== null };
}

function allowedOptions(options: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([key]) => key !== '__proto__' && !RESERVED_FIELDS.includes(key)));
}

/** The agent's own options for texts, such as their verbosity. */
function textOptions(text: Json | undefined): JsonObject {
  return isJsonObject(text ?? null) ? (text as JsonObject) : {};
}

function choiceOf(choice: Json | undefined): Json | undefined {
  return isJsonObject(choice ?? null) && (choice as JsonObject).type === 'none' ? 'none' : choice;
}
