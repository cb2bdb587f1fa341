/** The model of a worker's own, as the settings name it, and the models that it serves, in words. */
import type { App } from '../agents/define';
import type { Config } from '../config';
import { createModel, REHEARSAL_MODEL, type Model, type ModelOptions, type ModelProvider } from '../model';
import { namesOf } from '../model/models';
import { parseFaults } from '../model/rehearsal/faults';

/** Agents that name no model use this one of Anthropic, unless `ANTHROPIC_MODEL` is set. */
const DEFAULT_MODEL = 'claude-sonnet-4-6';

type ModelSettings = Pick<Config, 'model' | 'anthropic' | 'openai' | 'toolCalls' | 'rehearsalFaults' | 'rehearsedDespite'>;

export async function openModel(config: ModelSettings): Promise<Model & { defaultModel: string }> {
  const model = await createModel(optionsOf(config));
  return { ...model, defaultModel: model.defaultModel ?? config[kindOf(config)].model ?? DEFAULT_MODEL };
}

function optionsOf(config: ModelSettings): ModelOptions {
  const { toolCalls, rehearsalFaults = '' } = config;
  if (config.model === 'rehearsal') return { kind: 'rehearsal', toolCalls, rehearsal: { faults: parseFaults(rehearsalFaults) } };
  const { model: _, ...access } = config[config.model];
  return { kind: config.model, toolCalls, ...access };
}

function kindOf({ model }: ModelSettings): 'anthropic' | 'openai' {
  return model === 'openai' ? 'openai' : 'anthropic';
}

/** The same app, with the rehearsal in place of the providers of its models. */
export function withoutProviders(app: App, rehearsal: ModelProvider): App {
  const provider: ModelProvider = {
    name: rehearsal.name,
    model: REHEARSAL_MODEL,
    request: (request, callbacks) => rehearsal.request(request, callbacks),
  };
  const models = Object.entries(app.models ?? {}).map(([name, setting]) => [name, { ...setting, provider }]);
  return Object.freeze({ ...app, models: Object.freeze(Object.fromEntries(models)) });
}

/** For the line at start. */
export function describeModels(
  app: App,
  config: ModelSettings,
  { rehearsal, defaultModel }: Pick<Model, 'rehearsal'> & { defaultModel: string },
): string {
  const names = [...new Set(app.agents.flatMap(({ model }) => (model === undefined ? [] : namesOf(model, undefined))))];
  const ofApp = names.flatMap((name) => {
    const provider = app.models?.[name]?.provider;
    return provider === undefined ? [] : [`${name} (${provider.name})`];
  });
  const usesOwn = app.agents.some(({ model }) => model === undefined) || ofApp.length < names.length;
  const own = rehearsal ? describeRehearsal(config, rehearsal.baseUrl) : defaultModel;
  return [...ofApp, ...(usesOwn || ofApp.length === 0 ? [own] : [])].join(', ');
}

function describeRehearsal({ rehearsedDespite }: ModelSettings, baseUrl: string): string {
  return `rehearsal (${rehearsedDespite ?? 'no API key'}: a script plays the model at ${baseUrl})`;
}
