import type { ModelTool } from '../../model/provider';
import { INLINE_BYTES } from '../../shared/io/activities';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { inputSchema } from '../schema/schema';
import { deprecationNotice, deprecationOf } from './versions';
import type { DescriptionParts, Tool, TokenEstimate } from './tool';

/** Stands before the description of a destructive tool. */
export const DESTRUCTIVE_NOTE =
  'DESTRUCTIVE: has effects that cannot be undone. A person is asked before it runs; never ask the user for a flag.';

/** The one text that the model reads, from the parts that the author wrote. A destructive tool says so first. */
export function describe(tool: Pick<Tool, 'class' | 'description' | 'deprecated' | 'sunsetDate' | 'replacement'>): string {
  const does = typeof tool.description === 'string' ? tool.description.trim() : fromParts(tool.description);
  const deprecation = deprecationOf(tool);
  const text = deprecation === null ? does : `DEPRECATED: ${deprecationNotice(deprecation)}\n${does}`;
  return tool.class === 'destructive' ? `${DESTRUCTIVE_NOTE}\n${text}` : text;
}

function fromParts(parts: DescriptionParts): string {
  const labelled: [string, string | undefined][] = [
    ['RETURNS', parts.returns],
    ['USE WHEN', parts.useWhen],
    ["DON'T USE FOR", parts.dontUseFor],
    ['EXAMPLE', parts.example],
    ['WARNING', parts.warning],
  ];
  const lines = labelled.filter(([, text]) => text !== undefined).map(([label, text]) => `${label}: ${text!.trim()}`);
  return [parts.does.trim(), ...lines].join('\n');
}

// What text costs of a model's context, estimated without a tokenizer. Source of the divisors: the tool
// specification (seeds/001), "Token estimates".

/** Characters (UTF-16 units) in one token. */
const CHARACTERS = { text: 4, json: 3.5, code: 2, markdown: 3.5 } as const;
export type TextKind = keyof typeof CHARACTERS;

/** Tokens, rounded up. */
export function estimateTokens(text: string, kind: TextKind): number {
  return Math.ceil(text.length / CHARACTERS[kind]);
}

/** What a tool's definition costs in every request of a step. */
export function definitionTokens({ name, description, input_schema }: ModelTool): number {
  return estimateTokens(`${name}\n${description}`, 'text') + estimateTokens(JSON.stringify(input_schema), 'json');
}

export function catalogueTokens(tools: readonly ModelTool[]): number {
  return tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);
}

/** What one call costs: as the tool's author says, else by its schemas and the size that goes inline. */
export function callTokens(tool: Tool): TokenEstimate {
  if (tool.estimatedTokens !== undefined) return tool.estimatedTokens;
  const input = inputTokens(inputSchema(tool.input as JsonObject));
  const inline = tool.maxInlineBytes === 'unlimited' ? UNLIMITED_BYTES : (tool.maxInlineBytes ?? INLINE_BYTES);
  const max = Math.ceil(inline / CHARACTERS.json);
  const usual = tool.output === undefined ? inline / 4 : usualLength(inputSchema(tool.output as JsonObject));
  const typical = Math.min(max, Math.ceil(usual / CHARACTERS.json));
  return { input, output: { min: Math.min(typical, ENVELOPE), typical, max } };
}

/** What a model writes for a usual input. */
export function inputTokens(schema: JsonObject): number {
  return Math.ceil(usualLength(schema) / CHARACTERS.json);
}

/** Bytes that are counted for a reader without a limit. */
const UNLIMITED_BYTES = 50_000;
/** Tokens of the smallest answer: `{"success":true,"data":…}`. */
const ENVELOPE = 10;
const MAX_DEPTH = 5;

/** Characters of usual JSON that fits a schema: short texts, three items of an array, every property. */
function usualLength(schema: Json, depth = 0): number {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return 4;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    return Math.ceil(schema.enum.reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0) / schema.enum.length);
  }
  const variants = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(variants) && variants.length > 0) {
    return Math.max(...variants.slice(0, 10).map((variant) => usualLength(variant, depth + 1)));
  }
  switch (schema.type) {
    case 'object': {
      const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
      return properties.reduce((sum, [name, value]) => sum + name.length + 4 + usualLength(value, depth + 1), 2);
    }
    case 'array': {
      const most = typeof schema.maxItems === 'number' ? schema.maxItems : 3;
      return 2 + Math.min(3, most) * (1 + usualLength(schema.items ?? null, depth + 1));
    }
    case 'string':
      return 2 + Math.min(40, typeof schema.maxLength === 'number' ? schema.maxLength : 40);
    default:
      return 4;
  }
}
