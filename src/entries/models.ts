/** The exports of `holdfast/models`: the models that ship, and the types for a model of one's own. */
export { createModel, type Model, type ModelOptions } from '../model';
export { AnthropicProvider, type AnthropicOptions } from '../model/anthropic/provider';
export {
  anthropic,
  anthropicBedrock,
  anthropicVertex,
  openai,
  openaiCompatible,
  type AnthropicModelOptions,
  type OpenAiCompatibleOptions,
  type OpenAiModelOptions,
  type VendorModel,
} from '../model/factories';
export type { BedrockOptions, VertexOptions } from '../model/anthropic/platforms';
export { aiSdk, type AiSdkOptions } from '../model/ai-sdk/provider';
export type { AiSdkLanguageModel } from '../model/ai-sdk/types';
export { withPromptedTools } from '../model/prompted/prompted-tools';
export type { ModelDefinitions, ModelLimits, ModelSetting, ModelSettings } from '../model/settings';
export type { Price } from '../model/prices';
export type { Thinking, ThinkingLevel, ThinkingModel } from '../model/thinking';
export {
  ModelFailure,
  type Container,
  type MessageOrigin,
  type ModelCallbacks,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type ModelTool,
  type ModelUsage,
  type RateReport,
  type RateRoom,
  type RawToolInput,
  type StopReason,
} from '../model/provider';
export type { Json, JsonObject } from '../shared/json/json';
