/** The exports of `holdfast/models`: the models that ship, and the types for a model of one's own. */
export { createModel, type Model, type ModelOptions } from '../model';
export { AnthropicProvider, type AnthropicOptions } from '../model/anthropic/provider';
export { withPromptedTools } from '../model/prompted-tools';
export {
  ModelFailure,
  type Container,
  type ModelCallbacks,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type ModelTool,
  type ModelUsage,
  type RawToolInput,
  type StopReason,
} from '../model/provider';
export type { Json, JsonObject } from '../shared/json/json';
