/** Converts tool definitions to and from OpenAI's two APIs: Chat Completions nests the function, Responses is flat. */
import type { JsonObject } from '../../shared/json/json';
import type { Conversion, Loss } from './conversion';
import type { ToolJson } from './definition';
import { importDefinition, lossesOfUnknownFields, objectOf, type ImportOptions } from './imported-tools';
import { lossesOfUnsupportedFields } from './lossy-fields';
import { strictSchema } from './openai-strict';
import { DEFINITION_BOUNDS, plainJson } from './plain-json';
import { refuseServerTool } from './server-tools';

export interface OpenAiChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown>; strict: boolean };
}

export interface OpenAiResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

export interface OpenAiOptions {
  /** Default true: strict where strict mode can express the schema; else the unchanged schema, and a loss. */
  strict?: boolean;
}

const NATIVE_FIELDS: (keyof ToolJson)[] = ['name', 'description', 'description_parts', 'parameters', 'strict'];
/** The path that losses of the strict conversion begin with, in both formats. */
const PARAMETERS = '/parameters';

/** For `tools` of Chat Completions. */
export function toOpenAiChat(definition: ToolJson, options: OpenAiOptions = {}): Conversion<OpenAiChatTool> {
  const { value, losses } = toOpenAiResponses(definition, options);
  const { type, ...rest } = value;
  return { value: { type, function: rest }, losses };
}

/** For `tools` of the Responses API. */
export function toOpenAiResponses(definition: ToolJson, options: OpenAiOptions = {}): Conversion<OpenAiResponsesTool> {
  const { name, description, parameters } = definition;
  const losses: Loss[] = lossesOfUnsupportedFields(definition, NATIVE_FIELDS, 'OpenAI');
  const strict = options.strict === false ? null : strictSchema(parameters);
  losses.push(...(strict?.losses ?? []).map((loss) => ({ ...loss, path: PARAMETERS + loss.path })));
  const schema = strict?.value ?? null;
  return {
    value: { type: 'function', name, description, parameters: schema ?? parameters, strict: schema !== null },
    losses,
  };
}

/**
 * Converts a function tool of either API.
 * @throws ConversionError for the vendor's own tools, custom (free text) tools, and unusable definitions
 */
export function fromOpenAi(tool: unknown, options: ImportOptions = {}): Conversion<ToolJson> {
  const json = objectOf(plainJson(tool, DEFINITION_BOUNDS, 'The tool'), 'The tool');
  // `custom` means a client tool at Anthropic, but a tool without a schema at OpenAI.
  refuseServerTool(json.type === 'custom' ? { type: 'custom (free text)' } : json, 'OpenAI');
  const isNested = 'function' in json;
  const definition: JsonObject = isNested ? objectOf(json.function, '/function') : json;
  const at = isNested ? '/function' : '';
  const { value, losses } = importDefinition(
    {
      side: 'OpenAI',
      name: definition.name,
      description: definition.description ?? undefined,
      // A function without `parameters` takes no input.
      parameters: definition.parameters ?? { type: 'object', properties: {}, additionalProperties: false },
      parametersAt: `${at}/parameters`,
    },
    options,
  );
  const knownFields = ['name', 'description', 'parameters', 'strict', ...(isNested ? [] : ['type'])];
  const others = [
    ...lossesOfUnknownFields(definition, knownFields, 'OpenAI', at),
    ...(isNested ? lossesOfUnknownFields(json, ['type', 'function'], 'OpenAI') : []),
  ];
  return { value, losses: [...losses, ...others] };
}
