/** Exports the converters of tool definitions, calls and results between our format and other programs' formats. */
export {
  toolDefinition,
  toolFromDefinition,
  parseDefinition,
  type ToolFunctions,
  type ToolJson,
  type ToolJsonInput,
} from './definition';
export { ConversionError, type Conversion, type Loss } from './conversion';
export { fromAnthropic, toAnthropic, type AnthropicTool } from './anthropic';
export {
  fromOpenAi,
  toOpenAiChat,
  toOpenAiResponses,
  type OpenAiChatTool,
  type OpenAiOptions,
  type OpenAiResponsesTool,
} from './openai';
export { inputFromStrict } from './openai-strict';
export { fromMcp, toMcp, type McpAnnotations, type McpImport, type McpTool } from './mcp';
export type { ImportOptions } from './imported-tools';
export { apart, isServerTool } from './server-tools';
export * from './tool-choice';
export * from './calls';
export * from './results';
export { mcpProgress, type McpProgress } from './mcp-progress';
