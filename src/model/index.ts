/** Makes the model that the settings name. A rehearsal uses the same SDK and wire format as the real model. */
import { AnthropicProvider } from './anthropic/provider';
import { openAiProvider } from './factories';
import { withPromptedTools } from './prompted/prompted-tools';
import { REHEARSAL_MODEL, type ModelProvider } from './provider';
import type { Rehearsal, RehearsalOptions } from './rehearsal';
import { optional } from '../shared/json/optional';

export interface ModelOptions {
  kind: 'anthropic' | 'openai' | 'rehearsal';
  /** anthropic, openai: default from the environment, unless there is a `baseUrl`. */
  apiKey?: string;
  /** anthropic: a bearer token instead of a key; default as for the key. */
  authToken?: string;
  /** Default from the environment. rehearsal: a server that is up already; default: one is started in-process. */
  baseUrl?: string;
  /** openai: which of its APIs is spoken. Default: `chat` with a `baseUrl`, else `responses`. */
  api?: 'responses' | 'chat';
  /** Time limit of one request, ms. */
  timeoutMs?: number;
  /** `prompted`: tools are described in the prompt, for models without a tool API. Default `native`. */
  toolCalls?: 'native' | 'prompted';
  /** rehearsal: its behaviour. Faults default to `HOLDFAST_REHEARSAL_FAULTS`. */
  rehearsal?: RehearsalOptions;
}

export interface Model {
  provider: ModelProvider;
  /** The model id if neither an agent nor a setting names one; undefined for real models. */
  defaultModel: string | undefined;
  /** The server, if one was started here. */
  rehearsal: Rehearsal | undefined;
  close(): Promise<void>;
}

/** @throws Error when a fault in `HOLDFAST_REHEARSAL_FAULTS` is not known, or the rehearsal's port is taken */
export async function createModel(options: ModelOptions): Promise<Model> {
  const model = await plainModel(options);
  return options.toolCalls === 'prompted' ? { ...model, provider: withPromptedTools(model.provider) } : model;
}

async function plainModel(options: ModelOptions): Promise<Model> {
  const { kind, apiKey, authToken, baseUrl, timeoutMs } = options;
  const limit = optional({ timeoutMs });
  if (kind === 'anthropic') {
    const provider = new AnthropicProvider({
      ...optional({ apiKey, authToken, baseUrl }),
      ...limit,
    });
    return { provider, defaultModel: undefined, rehearsal: undefined, close: async () => {} };
  }
  if (kind === 'openai') {
    const own = optional({ apiKey, baseUrl, api: options.api });
    return {
      provider: openAiProvider({ ...own, ...limit }),
      defaultModel: undefined,
      rehearsal: undefined,
      close: async () => {},
    };
  }
  const { parseFaults, startRehearsal } = await import('./rehearsal/index.js');
  const faults = options.rehearsal?.faults ?? parseFaults(process.env.HOLDFAST_REHEARSAL_FAULTS ?? '');
  const rehearsal = baseUrl === undefined ? await startRehearsal({ ...options.rehearsal, faults }) : undefined;
  // A key of its own: the real one must not be sent to a server that is not the vendor's.
  const provider = new AnthropicProvider({
    name: 'rehearsal',
    apiKey: 'rehearsal',
    baseUrl: baseUrl ?? rehearsal!.baseUrl,
    ...limit,
  });
  return { provider, defaultModel: REHEARSAL_MODEL, rehearsal, close: async () => rehearsal?.close() };
}

export { AnthropicProvider } from './anthropic/provider';
export { costUsd, PRICES, PRICES_AS_OF, PRICES_SOURCE, priceOf } from './prices';
export { withPromptedTools } from './prompted/prompted-tools';
export * from './provider';
