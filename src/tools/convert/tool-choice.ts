/** Converts the tool choice of a request (which tool the model must use, and whether in parallel) to and from vendor formats. */
import type { JsonObject } from '../../shared/json/json';
import { ConversionError, formatValue, type Conversion, type Loss } from './conversion';
import { objectOf } from './imported-tools';
import { plainJson, type JsonBounds } from './plain-json';

/** `required`: any tool; `tool`: the named one. */
export type ToolChoice =
  | { mode: 'auto' | 'required' | 'none'; parallel: boolean }
  | { mode: 'tool'; name: string; parallel: boolean };

export type AnthropicChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }
  | { type: 'none' };

/** The two fields of a request. */
export interface OpenAiChoice {
  tool_choice:
    | 'auto'
    | 'required'
    | 'none'
    | { type: 'function'; name: string }
    | { type: 'function'; function: { name: string } };
  parallel_tool_calls: boolean;
}

export type OpenAiApi = 'chat' | 'responses';

const BOUNDS: JsonBounds = { depth: 10, values: 2000, characters: 64 * 1024, proto: 'refuse' };

export function choiceToAnthropic(choice: ToolChoice): AnthropicChoice {
  const alone = choice.parallel ? {} : { disable_parallel_tool_use: true };
  switch (choice.mode) {
    case 'none':
      return { type: 'none' };
    case 'tool':
      return { type: 'tool', name: choice.name, ...alone };
    case 'required':
      return { type: 'any', ...alone };
    case 'auto':
      return { type: 'auto', ...alone };
  }
}

/** @throws ConversionError for a choice that the Messages API does not know */
export function choiceFromAnthropic(json: unknown): ToolChoice {
  const choice = objectOf(plainJson(json, BOUNDS, 'tool_choice'), 'tool_choice');
  const parallel = choice.disable_parallel_tool_use !== true;
  switch (choice.type) {
    case 'auto':
      return { mode: 'auto', parallel };
    case 'any':
      return { mode: 'required', parallel };
    case 'tool':
      return { mode: 'tool', name: nameOf(choice), parallel };
    case 'none':
      return { mode: 'none', parallel: true };
    default:
      throw new ConversionError(`tool_choice.type is ${formatValue(choice.type)}; it must be auto, any, tool or none`);
  }
}

export function choiceToOpenAi(choice: ToolChoice, api: OpenAiApi): OpenAiChoice {
  const parallel_tool_calls = choice.parallel;
  if (choice.mode !== 'tool') return { tool_choice: choice.mode, parallel_tool_calls };
  const { name } = choice;
  const tool = api === 'chat' ? { type: 'function' as const, function: { name } } : { type: 'function' as const, name };
  return { tool_choice: tool, parallel_tool_calls };
}

/**
 * Converts the two fields of an OpenAI request; an absent field means the vendor's default (auto, parallel).
 * @throws ConversionError for choices of the vendor's own tools, and for unknown choices
 */
export function choiceFromOpenAi(json: unknown): Conversion<ToolChoice> {
  const { tool_choice: toolChoice = 'auto', parallel_tool_calls } = objectOf(
    plainJson(json, BOUNDS, 'The request'),
    'The request',
  );
  const parallel = parallel_tool_calls !== false;
  const losses: Loss[] = [];
  if (toolChoice === 'auto' || toolChoice === 'required' || toolChoice === 'none')
    return { value: { mode: toolChoice, parallel }, losses };
  const choice = objectOf(toolChoice, 'tool_choice');
  if (choice.type === 'function') {
    const tool = 'function' in choice ? objectOf(choice.function, 'tool_choice.function') : choice;
    return { value: { mode: 'tool', name: nameOf(tool), parallel }, losses };
  }
  if (choice.type === 'allowed_tools') {
    const allowedTools = 'allowed_tools' in choice ? objectOf(choice.allowed_tools, 'tool_choice.allowed_tools') : choice;
    losses.push({
      path: '/tool_choice',
      what: `allowed_tools: leave the other tools out of the request: ${formatValue(allowedTools.tools)}`,
    });
    return { value: { mode: allowedTools.mode === 'required' ? 'required' : 'auto', parallel }, losses };
  }
  throw new ConversionError(
    `tool_choice.type is ${formatValue(choice.type)}; it must be function or allowed_tools, or the word auto, required or none`,
  );
}

function nameOf(choice: JsonObject): string {
  if (typeof choice.name === 'string') return choice.name;
  throw new ConversionError(`tool_choice names no tool: ${formatValue(choice)}`);
}
