/** Converts tool definitions to and from Anthropic's Messages API: `{name, description, input_schema, strict?}`. */
import type { JsonObject } from '../../shared/json/json';
import type { Conversion } from './conversion';
import type { ToolJson } from './definition';
import { importDefinition, lossesOfUnknownFields, objectOf, type ImportOptions } from './imported-tools';
import { lossesOfUnsupportedFields } from './lossy-fields';
import { DEFINITION_BOUNDS, plainJson } from './plain-json';
import { refuseServerTool } from './server-tools';

export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
  /** Absent: the vendor's default, which does not enforce the schema while the model writes. */
  strict?: boolean;
}

/**
 * @param options `strict`: ask the vendor to enforce the schema while the model writes. Default false: admission checks
 *   every call anyway, and the vendor refuses schemas outside of its subset.
 */
export function toAnthropic(definition: ToolJson, options: { strict?: boolean } = {}): Conversion<AnthropicTool> {
  return {
    value: {
      name: definition.name,
      description: definition.description,
      input_schema: definition.parameters as AnthropicTool['input_schema'],
      ...(options.strict ? { strict: true } : {}),
    },
    losses: lossesOfUnsupportedFields(
      definition,
      ['name', 'description', 'description_parts', 'parameters', 'strict'],
      'the Messages API',
    ),
  };
}

const KNOWN_FIELDS = ['name', 'description', 'input_schema', 'strict', 'type'];

/**
 * Converts a client tool of the Messages API. Its class is destructive until a person accepts another class.
 * @throws ConversionError for server tools, and for unusable definitions
 */
export function fromAnthropic(tool: unknown, options: ImportOptions = {}): Conversion<ToolJson> {
  const json: JsonObject = objectOf(plainJson(tool, DEFINITION_BOUNDS, 'The tool'), 'The tool');
  refuseServerTool(json, 'Anthropic');
  const { value, losses } = importDefinition(
    {
      side: 'Anthropic',
      name: json.name,
      description: json.description,
      parameters: json.input_schema,
      parametersAt: '/input_schema',
    },
    options,
  );
  return { value, losses: [...losses, ...lossesOfUnknownFields(json, KNOWN_FIELDS, 'Anthropic')] };
}
