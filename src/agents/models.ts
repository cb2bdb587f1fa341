/** Checks an app's settings for models, and which of them its agents name. */
import { isJsonObject, type JsonObject, unknownFields } from '../shared/json/json';
import type { ModelProvider } from '../model/provider';
import type { ModelDefinitions, ModelSetting, ModelSettings } from '../model/settings';
import type { Agent } from './agent';

/** Each request to a dead vendor costs a wait: a longer chain would wait for minutes. */
const MOST_IN_CHAIN = 5;
const MODEL_NAME = /^[\x21-\x7e]{1,200}$/;
const SETTING_FIELDS = ['provider', 'options', 'thinking', 'limits', 'prices'];
const LIMIT_FIELDS = ['requestsPerMinute', 'tokensPerMinute', 'concurrent'];
const PRICE_FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'];

/** The settings in one form. */
export function modelSettings(definitions: ModelDefinitions = {}): ModelSettings {
  const settings = Object.entries(definitions).map(([name, one]) => [name, isProvider(one) ? { provider: one } : one] as const);
  return Object.freeze(Object.fromEntries(settings));
}

function isProvider(value: ModelProvider | ModelSetting): value is ModelProvider {
  return typeof (value as Partial<ModelProvider> | null)?.request === 'function';
}

export function modelFaults(definitions: ModelDefinitions | undefined): string[] {
  return Object.entries(definitions ?? {}).flatMap(([name, one]) => {
    const of = `models[${JSON.stringify(name)}]`;
    const named = MODEL_NAME.test(name) ? [] : [`${of}: the name must match ${MODEL_NAME.source}`];
    return [...named, ...(isProvider(one) ? [] : settingFaults(one, of))];
  });
}

function settingFaults(setting: ModelSetting, of: string): string[] {
  const { provider, options, thinking, limits, prices } = setting ?? {};
  const faults = [
    ...unknownFields(setting, SETTING_FIELDS, of),
    ...unknownFields(limits, LIMIT_FIELDS, `${of}.limits`),
    ...unknownFields(prices, PRICE_FIELDS, `${of}.prices`),
    ...(thinking === false ? [] : thinkingFaults(thinking, `${of}.thinking`)),
  ];
  if (provider !== undefined && !isProvider(provider))
    faults.push(
      `${of}.provider must be a model of holdfast/models, such as anthropic({ model }), or a ModelProvider of your own`,
    );
  if (options !== undefined && !isJsonObject(options)) faults.push(`${of}.options must be an object`);
  for (const [field, value] of Object.entries(limits ?? {}))
    if (!(Number.isInteger(value) && value >= 1)) faults.push(`${of}.limits.${field} is ${value}; it must be an integer from 1`);
  const isPrice = (field: string) => {
    const value = (prices as Record<string, unknown> | undefined)?.[field];
    return typeof value === 'number' && Number.isFinite(value) && value >= 0;
  };
  if (prices !== undefined && !PRICE_FIELDS.every(isPrice))
    faults.push(`${of}.prices must be {${PRICE_FIELDS.join(', ')}}, US dollars for a million tokens, each 0 or more`);
  return faults;
}

/** Faults of an agent's `model`. */
export function chainFaults(model: unknown): string[] {
  if (model === undefined || typeof model === 'string') return [];
  const names: unknown[] = Array.isArray(model) ? model : [null];
  const areNames = names.every((name) => typeof name === 'string');
  if (areNames && names.length > 0 && names.length <= MOST_IN_CHAIN && new Set(names).size === names.length) return [];
  return [`model must be a name, or a list of 1 to ${MOST_IN_CHAIN} different names`];
}

/**
 * Names that an app does not have. An app without providers has none to compare with: its names are ids of the worker's own
 * provider.
 */
export function unknownModels({ model, name }: Pick<Agent, 'model' | 'name'>, settings: ModelSettings): string[] {
  const known = Object.keys(settings);
  if (!Object.values(settings).some(({ provider }) => provider !== undefined)) return [];
  const names = model === undefined ? [] : typeof model === 'string' ? [model] : model;
  return names
    .filter((one) => !known.includes(one))
    .map(
      (one) =>
        `agent ${name}: the app has no model ${JSON.stringify(one)}; it has ${known.join(', ')}. Name one of them, or add it to models (as {}: the worker's own provider answers)`,
    );
}

const THINKING: readonly unknown[] = ['off', 'low', 'medium', 'high'];

/** Faults of `thinking` of an agent or of a model. What a vendor can do with it is seen when a worker starts. */
export function thinkingFaults(thinking: unknown, of: string): string[] {
  if (thinking === undefined || THINKING.includes(thinking)) return [];
  const { budgetTokens, ...others } = typeof thinking === 'object' && thinking !== null ? (thinking as JsonObject) : {};
  if (Number.isSafeInteger(budgetTokens) && Number(budgetTokens) >= 1 && Object.keys(others).length === 0) return [];
  return [
    `${of} is ${JSON.stringify(thinking)}; it must be "off", "low", "medium", "high", or { budgetTokens } with an integer from 1`,
  ];
}
