/** An app's settings for its models, by the names that its agents use. */
import type { JsonObject } from '../shared/json/json';
import type { Price } from './prices';
import type { ModelProvider } from './provider';
import type { Thinking } from './thinking';

/** What all workers of a store together may ask of a model. */
export interface ModelLimits {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  /** Requests at the same time. */
  concurrent?: number;
}

export interface ModelSetting {
  /** Who answers. Absent: the worker's own provider, which gets the name as the model's id. */
  provider?: ModelProvider;
  /** Fields of its requests (thinking, temperature…) beside the agent's `modelOptions`, over which they count. */
  options?: JsonObject;
  /** Counts over the agent's `thinking`; false: the model thinks as it does by itself. */
  thinking?: Thinking | false;
  limits?: ModelLimits;
  /** US dollars for a million tokens; they count over our table. */
  prices?: Price;
}

export type ModelSettings = Readonly<Record<string, ModelSetting>>;

/** As an app writes them: a provider alone stands for `{ provider }`. */
export type ModelDefinitions = Readonly<Record<string, ModelProvider | ModelSetting>>;

/** What a model of an agent is told of thinking; undefined: nothing. */
export function thinkingOf(agent: { readonly thinking: Thinking | undefined }, setting: ModelSetting): Thinking | undefined {
  const thinking = setting.thinking ?? agent.thinking;
  return thinking === false ? undefined : thinking;
}
