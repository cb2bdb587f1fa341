/**
 * The models of an app, by vendor. Each makes its vendor's client when it is first asked, so that a program that only reads the app,
 * such as a client or the command line, loads no SDK and needs no key.
 *
 * @example
 * defineApp({ agents, models: { opus: anthropic({ model: 'claude-opus-5-5' }), gpt: openai({ model: 'gpt-5.2' }) } });
 */
import {
  BEDROCK_PROVIDER,
  bedrockProvider,
  VERTEX_PROVIDER,
  vertexProvider,
  type BedrockOptions,
  type VertexOptions,
} from './anthropic/platforms';
import { AnthropicProvider, type AnthropicOptions } from './anthropic/provider';
import { OpenAiProvider, type OpenAiOptions } from './openai/provider';
import { withPromptedTools } from './prompted/prompted-tools';
import type { ModelProvider, ModelRequest } from './provider';
import { ANTHROPIC_PROVIDER } from './provider';
import { COMPATIBLE_FILES, type TakenFiles } from './taken-files';

/** A model of one vendor. */
export interface VendorModel extends ModelProvider {
  /** The vendor's id of the model, which is sent whatever name the app gives it. */
  readonly model: string;
}

interface OfModel {
  /** The vendor's id of the model. */
  model: string;
  /** `prompted`: tools are described in the prompt, for models without a tool API. @default 'native' */
  toolCalls?: 'native' | 'prompted';
}

export type AnthropicModelOptions = Omit<AnthropicOptions, 'name' | 'fetch' | 'platform'> & OfModel;

/** Anthropic's Messages API, and servers that speak it. */
export function anthropic(options: AnthropicModelOptions): VendorModel {
  return lazily(ANTHROPIC_PROVIDER, { ...options, counts: true }, () => new AnthropicProvider(options));
}

/** Anthropic's models on Amazon Bedrock; needs the package @anthropic-ai/bedrock-sdk. */
export function anthropicBedrock(options: BedrockOptions & OfModel): VendorModel {
  return lazily(BEDROCK_PROVIDER, options, () => bedrockProvider(options));
}

/** Anthropic's models on Google Vertex AI; needs the package @anthropic-ai/vertex-sdk. */
export function anthropicVertex(options: VertexOptions & OfModel): VendorModel {
  return lazily(VERTEX_PROVIDER, { ...options, counts: true }, () => vertexProvider(options));
}

export type OpenAiModelOptions = Pick<
  OpenAiOptions,
  'api' | 'apiKey' | 'baseUrl' | 'headers' | 'timeoutMs' | 'structuredOutputs'
> &
  OfModel;

/** OpenAI's own models; needs the package openai. */
export function openai(options: OpenAiModelOptions): VendorModel {
  return lazily('openai', { ...options, counts: options.api !== 'chat' }, () => new OpenAiProvider(options));
}

export type OpenAiCompatibleOptions = Pick<OpenAiOptions, 'apiKey' | 'headers' | 'timeoutMs' | 'structuredOutputs'> &
  OfModel & {
    /** Such as `http://127.0.0.1:11434/v1`. */
    baseUrl: string;
    /** Largest image and PDF that the model takes, bytes; 0: none. @default images of 20 MB, no PDF */
    files?: TakenFiles;
  };

/** A server that speaks OpenAI's chat completions: Ollama, vLLM, llama.cpp, OpenRouter and others. It may need no key. */
export function openaiCompatible(options: OpenAiCompatibleOptions): VendorModel {
  return lazily(compatibleName(options.baseUrl), options, () => openAiProvider({ ...options, api: 'chat' }));
}

/** What speaks OpenAI's API at this address, for any of the models there; without an address OpenAI itself. */
export function openAiProvider(options: Omit<OpenAiOptions, 'name' | 'fetch' | 'maxTokensField'>): OpenAiProvider {
  const { baseUrl } = options;
  if (baseUrl === undefined) return new OpenAiProvider(options);
  // Older servers know the older name of the field.
  return new OpenAiProvider({
    api: 'chat',
    files: COMPATIBLE_FILES,
    ...options,
    name: compatibleName(baseUrl),
    maxTokensField: 'max_tokens',
  });
}

/** Answers go back only to the server that made them, so each has its own name. */
function compatibleName(baseUrl: string): string {
  return `openai-compatible ${URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl}`;
}

interface Lazy extends OfModel {
  /** The vendor has a route that counts tokens. */
  counts?: boolean;
}

function lazily(name: string, { model, toolCalls, counts = false }: Lazy, make: () => ModelProvider): VendorModel {
  let instance: ModelProvider | undefined;
  const provider = () => (instance ??= toolCalls === 'prompted' ? withPromptedTools(make()) : make());
  return {
    name,
    model,
    checkSetup: () => provider().checkSetup?.(),
    faultsOf: (request) => provider().faultsOf?.(request) ?? [],
    thinkingFault: (thinking, of) => provider().thinkingFault?.(thinking, { ...of, model }) ?? null,
    ...(counts ? { countTokens: (request, signal) => count(provider(), { ...request, model }, signal) } : {}),
    request: (request, callbacks) => provider().request({ ...request, model }, callbacks),
  };
}

function count(provider: ModelProvider, request: ModelRequest, signal: AbortSignal): Promise<number> {
  if (provider.countTokens === undefined) throw new Error('The vendor has no route that counts tokens.');
  return provider.countTokens(request, signal);
}
