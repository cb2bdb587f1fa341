/** Renders a tool's description for the model, and estimates the tokens of definitions and calls. */
import type { ModelTool } from '../../model/provider';
import { INLINE_BYTES } from '../../shared/io/activities';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { inputSchema } from '../schema/schema';
import { deprecationNotice, deprecationOf } from './versions';
import type { DescriptionParts, Tool, TokenEstimate } from './tool';

/** The first line of a destructive tool's description. */
export const DESTRUCTIVE_NOTE =
  'DESTRUCTIVE: has effects that cannot be undone. A person is asked before it runs; never ask the user for a flag.';

/** Renders a tool's description as one text for the model. A destructive tool's text begins with `DESTRUCTIVE_NOTE`. */
export function describe(tool: Pick<Tool, 'class' | 'description' | 'deprecated' | 'sunsetDate' | 'replacement'>): string {
  const does = typeof tool.description === 'string' ? tool.description.trim() : fromParts(tool.description);
  const deprecation = deprecationOf(tool);
  const text = deprecation === null ? does : `DEPRECATED: ${deprecationNotice(deprecation)}\n${does}`;
  return tool.class === 'destructive' ? `${DESTRUCTIVE_NOTE}\n${text}` : text;
}

function fromParts(parts: DescriptionParts): string {
  const entries: [string, string | undefined][] = [
    ['RETURNS', parts.returns],
    ['USE WHEN', parts.useWhen],
    ["DON'T USE FOR", parts.dontUseFor],
    ['EXAMPLE', parts.example],
    ['WARNING', parts.warning],
  ];
  const lines = entries.filter(([, text]) => text !== undefined).map(([label, text]) => `${label}: ${text!.trim()}`);
  return [parts.does.trim(), ...lines].join('\n');
}

// Estimates how many tokens a text takes of a model's context, without a tokenizer. Source of the divisors: the tool
// specification (seeds/001), "Token estimates".

/** Characters (UTF-16 units) in one token. */
const CHARACTERS = { text: 4, json: 3.5, code: 2, markdown: 3.5 } as const;
export type TextKind = keyof typeof CHARACTERS;

/** Tokens, rounded up. */
export function estimateTokens(text: string, kind: TextKind): number {
  return Math.ceil(text.length / CHARACTERS[kind]);
}

/** Tokens of a tool's definition, which every model request contains. */
export function definitionTokens({ name, description, input_schema }: ModelTool): number {
  return estimateTokens(`${name}\n${description}`, 'text') + estimateTokens(JSON.stringify(input_schema), 'json');
}

export function catalogueTokens(tools: readonly ModelTool[]): number {
  return tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);
}

/** Tokens of one call: the author's estimate, else computed from the schemas and the largest inline result. */
export function callTokens(tool: Tool): TokenEstimate {
  if (tool.estimatedTokens !== undefined) return tool.estimatedTokens;
  const input = inputTokens(inputSchema(tool.input as JsonObject));
  const inline = tool.maxInlineBytes === 'unlimited' ? UNLIMITED_BYTES : (tool.maxInlineBytes ?? INLINE_BYTES);
  const max = Math.ceil(inline / CHARACTERS.json);
  const usual = tool.output === undefined ? inline / 4 : usualLength(inputSchema(tool.output as JsonObject));
  const typical = Math.min(max, Math.ceil(usual / CHARACTERS.json));
  return { input, output: { min: Math.min(typical, ENVELOPE), typical, max } };
}

/** Tokens of a typical input. */
export function inputTokens(schema: JsonObject): number {
  return Math.ceil(usualLength(schema) / CHARACTERS.json);
}

/** Bytes assumed for a tool with `maxInlineBytes: 'unlimited'`. */
const UNLIMITED_BYTES = 50_000;
/** Tokens of the smallest answer: `{"success":true,"data":…}`. */
const ENVELOPE = 10;
const MAX_DEPTH = 5;

/** Characters of typical JSON that fits a schema: short texts, three items of an array, every property. */
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
