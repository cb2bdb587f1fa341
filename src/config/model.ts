/** The settings of the worker's own model: who answers for models that the app gives no provider. */
import { optional } from '../shared/json/optional';
import { ConfigError } from './error';
import type { Reader } from './variables';

export interface ModelConfig {
  anthropic: { apiKey?: string; authToken?: string; baseUrl?: string; model?: string };
  openai: { apiKey?: string; baseUrl?: string; model?: string; api?: 'responses' | 'chat' };
  model: 'anthropic' | 'openai' | 'rehearsal';
  /** The rehearsal plays also the models that the app gives a provider. */
  rehearsesAll: boolean;
  /** Why the rehearsal runs although settings name a real model; null: they name none, or the real model runs. */
  rehearsedDespite: string | null;
  /** What goes wrong with the rehearsal's answers, as `HOLDFAST_REHEARSAL_FAULTS` writes it. Absent: nothing. */
  rehearsalFaults?: string;
  /** How tools are described to the model. */
  toolCalls: 'native' | 'prompted';
}

/** @throws ConfigError if the vendor's settings are missing */
export function modelOf(read: Reader): ModelConfig {
  const anthropic = anthropicOf(read);
  const openai = optional({
    apiKey: read('OPENAI_API_KEY'),
    baseUrl: read('OPENAI_BASE_URL'),
    model: read('OPENAI_MODEL'),
    api: read('OPENAI_API'),
  });
  const named = read('HOLDFAST_MODEL');
  const model = named ?? (hasAccess(anthropic) ? 'anthropic' : 'rehearsal');
  if (model === 'anthropic' && !hasAccess(anthropic))
    throw new ConfigError(
      'HOLDFAST_MODEL is "anthropic" but none of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL is set; set one, or HOLDFAST_MODEL=rehearsal.',
    );
  if (model === 'openai') checkOpenAi(openai);
  return {
    anthropic,
    openai,
    model,
    rehearsesAll: named === 'rehearsal',
    rehearsedDespite: model === 'rehearsal' ? rehearsedDespite(read, anthropic, openai) : null,
    ...optional({ rehearsalFaults: read('HOLDFAST_REHEARSAL_FAULTS') }),
    toolCalls: read('HOLDFAST_TOOL_CALLS') ?? 'native',
  };
}

function anthropicOf(read: Reader): ModelConfig['anthropic'] {
  const [apiKey, authToken] = [read('ANTHROPIC_API_KEY'), read('ANTHROPIC_AUTH_TOKEN')];
  return optional({
    apiKey,
    authToken: apiKey === undefined ? authToken : undefined, // a request carries only one of them
    baseUrl: read('ANTHROPIC_BASE_URL'),
    model: read('ANTHROPIC_MODEL'),
  });
}

/** A base URL alone counts as access: its server may need no key. */
function hasAccess({ apiKey, authToken, baseUrl }: ModelConfig['anthropic']): boolean {
  return (apiKey ?? authToken ?? baseUrl) !== undefined;
}

/** There is no default model: which models a key or a server has, nobody knows. */
function checkOpenAi({ apiKey, baseUrl, model }: ModelConfig['openai']): void {
  if ((apiKey ?? baseUrl) === undefined)
    throw new ConfigError(
      'HOLDFAST_MODEL is "openai" but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set; set one, or HOLDFAST_MODEL=rehearsal.',
    );
  if (model === undefined)
    throw new ConfigError(
      'HOLDFAST_MODEL is "openai" but OPENAI_MODEL is not set; set it to the model of agents that name none.',
    );
}

function rehearsedDespite(read: Reader, anthropic: ModelConfig['anthropic'], openai: ModelConfig['openai']): string | null {
  if (hasAccess(anthropic)) return 'HOLDFAST_MODEL is "rehearsal", which counts more than the settings of a real model';
  if ((openai.apiKey ?? openai.baseUrl ?? openai.model) !== undefined)
    return 'settings of OpenAI count with HOLDFAST_MODEL=openai, and that is not set';
  const setting =
    anthropic.model !== undefined ? 'ANTHROPIC_MODEL' : read('HOLDFAST_TOOL_CALLS') !== undefined ? 'HOLDFAST_TOOL_CALLS' : null;
  const without = 'but none of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_BASE_URL is';
  return setting === null ? null : `${setting} is set, ${without}`;
}
