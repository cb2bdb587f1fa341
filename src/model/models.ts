/** Finds the models of an agent by their names: those of the app, and for all other names the worker's own provider. */
import { Circuits } from './circuits';
import { TokenCounter } from './context/tokens';
import type { ChainLink } from './fallback';
import type { ModelProvider } from './provider';
import type { ModelSettings } from './settings';

/** The provider of a worker itself, and the model of agents that name none. */
export interface OwnModel {
  provider: ModelProvider;
  defaultModel: string;
}

export interface NamesModels {
  agent: { readonly model: string | readonly string[] | undefined };
  models: ModelSettings;
}

export class Models {
  /** Which models are down, as this worker has found out. */
  readonly circuits = new Circuits();
  readonly counter = new TokenCounter();

  /** @param own null: each agent names models of the app */
  constructor(readonly own: OwnModel | null) {}

  /** The models that take a step of the agent, the first one first. @throws Error for a model that nobody serves */
  chainOf({ agent, models }: NamesModels): ChainLink[] {
    return namesOf(agent.model, this.own?.defaultModel).map((name) => {
      const setting = Object.hasOwn(models, name) ? models[name]! : {};
      const provider = setting.provider ?? this.own?.provider;
      if (provider === undefined) throw new Error(`No provider serves the model ${JSON.stringify(name)}.`);
      const model = provider.model ?? name;
      return { name, provider, model, settings: setting };
    });
  }
}

/** The names of an agent's models, as they are asked. Empty: it names none, and there is no default. */
export function namesOf(model: string | readonly string[] | undefined, defaultModel: string | undefined): readonly string[] {
  const named = model ?? defaultModel ?? [];
  return typeof named === 'string' ? [named] : named;
}
