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
import { COMPATIBLE_FILES, type TakenFiles } from './taken-files';

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

export type OpenAiModelOptions = Pick<OpenAiOptions, 'api' | 'apiKey' | 'baseUrl' | 'headers' | 'timeoutMs'> & { model: string };

/** OpenAI's own models. */
export function openai({ model, ...options }: OpenAiModelOptions): VendorModel {
  return lazily('openai', model, () => new OpenAiProvider(options));
}

export type OpenAiCompatibleOptions = Pick<OpenAiOptions, 'apiKey' | 'headers' | 'timeoutMs'> & {
  model: string;
  /** Such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** `prompted`: tools are described in the prompt, for models without a tool API. @default 'native' */
  toolCalls?: 'native' | 'prompted';
  /** Largest image and PDF that the model takes, bytes; 0: none. @default images of 20 MB, no PDF */
  files?: TakenFiles;
};

/** A server that speaks OpenAI's chat completions: Ollama, vLLM, llama.cpp, OpenRouter and others. It may need no key. */
export function openaiCompatible({ model, toolCalls, ...options }: OpenAiCompatibleOptions): VendorModel {
  const make = () => openAiProvider({ ...options, api: 'chat' });
  return lazily(compatibleName(options.baseUrl), model, () => (toolCalls === 'prompted' ? withPromptedTools(make()) : make()));
}

/** OpenAI's API at this address, for any of the models there; absent: OpenAI's own. */
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

function lazily(name: string, model: string, make: () => ModelProvider): VendorModel {
  let made: ModelProvider | undefined;
  const provider = () => (made ??= make());
  return {
    name,
    model,
    checkSetup: () => provider().checkSetup?.(),
    faultsOf: (request) => provider().faultsOf?.(request) ?? [],
    request: (request, callbacks) => provider().request({ ...request, model }, callbacks),
  };
}
