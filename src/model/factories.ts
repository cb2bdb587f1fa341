/**
 * The models of an app, by vendor. Each makes its vendor's client when it is first asked, so that a program that only reads the app,
 * such as a client or the command line, loads no SDK and needs no key.
 *
 * @example
 * defineApp({ agents, models: { opus: anthropic({ model: 'claude-opus-5-5' }), gpt: openai({ model: 'gpt-5.2' }) } });
 */
import { AnthropicProvider, type AnthropicOptions } from './anthropic/provider';
import { OpenAiProvider, type OpenAiOptions } from './openai/provider';
import { withPromptedTools } from './prompted-tools';
import type { ModelProvider } from './provider';
import { ANTHROPIC_PROVIDER } from './provider';

/** A model of one vendor. */
export interface VendorModel extends ModelProvider {
  /** The vendor's id of the model, which is sent whatever name the app gives it. */
  readonly model: string;
}

export type AnthropicModelOptions = Omit<AnthropicOptions, 'name' | 'fetch'> & { model: string };

/** Anthropic's Messages API, and servers that speak it. */
export function anthropic({ model, ...options }: AnthropicModelOptions): VendorModel {
  return lazily(ANTHROPIC_PROVIDER, model, () => new AnthropicProvider(options));
}

export type OpenAiModelOptions = Pick<OpenAiOptions, 'api' | 'apiKey' | 'baseUrl' | 'headers' | 'timeoutMs' | 'structuredOutputs'> & { model: string };

/** OpenAI's own models. */
export function openai({ model, ...options }: OpenAiModelOptions): VendorModel {
  return lazily('openai', model, () => new OpenAiProvider(options));
}

export type OpenAiCompatibleOptions = Pick<OpenAiOptions, 'apiKey' | 'headers' | 'timeoutMs' | 'structuredOutputs'> & {
  model: string;
  /** Such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** `prompted`: tools are described in the prompt, for models without a tool API. @default 'native' */
  toolCalls?: 'native' | 'prompted';
};

/** A server that speaks OpenAI's chat completions: Ollama, vLLM, llama.cpp, OpenRouter and others. It may need no key. */
export function openaiCompatible({ model, toolCalls, ...options }: OpenAiCompatibleOptions): VendorModel {
  // Answers go back only to the server that made them.
  const name = `openai-compatible ${URL.canParse(options.baseUrl) ? new URL(options.baseUrl).host : options.baseUrl}`;
  const make = () => new OpenAiProvider({ ...options, api: 'chat', name, maxTokensField: 'max_tokens' });
  return lazily(name, model, () => (toolCalls === 'prompted' ? withPromptedTools(make()) : make()));
}

function lazily(name: string, model: string, make: () => ModelProvider): VendorModel {
  let provider: ModelProvider | undefined;
  return {
    name,
    model,
    request: (request, callbacks) => (provider ??= make()).request({ ...request, model }, callbacks),
  };
}
