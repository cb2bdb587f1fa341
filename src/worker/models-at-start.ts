/** Checks, before a worker serves an app, that its models can be asked and paid for, and says what a vendor will not take. */
import type { App } from '../agents/define';
import type { Agent } from '../agents/agent';
import { ConfigError } from '../config/error';
import type { ChainLink } from '../model/fallback';
import { namesOf, type Models } from '../model/models';
import { askedPrice } from '../model/prices';
import { thinkingOf, type ModelSettings } from '../model/settings';
import type { PreparedAgent } from '../tools/catalogue/registry';
import { errorMessage } from '../shared/text/error-message';
import type { ToolLogger } from '../tools/define/tool';

/** @throws ConfigError for a model that nobody serves, and for a cost limit on a model without a known price */
export function checkModels({ agents, models: settings = {} }: App, models: Models): void {
  for (const agent of agents)
    for (const link of chainOf(agent, settings, models)) {
      checkPrice(agent, link, settings);
      checkSetup(agent, link);
      checkThinking(agent, link);
    }
}

function chainOf(agent: Agent, settings: ModelSettings, models: Models): ChainLink[] {
  const missing = namesOf(agent.model, models.own?.defaultModel).find((name) => models.own === null && !settings[name]?.provider);
  if (missing !== undefined)
    throw new ConfigError(
      `Agent ${agent.name} has the model ${JSON.stringify(missing)}, and nobody serves it: give it a provider in defineApp({ models }), or give the worker a model of its own (docs/models.md).`,
    );
  if (agent.model === undefined && models.own === null)
    throw new ConfigError(
      `Agent ${agent.name} names no model, and this worker has none of its own: set defineAgent({ model }) to one of the app's models, or give the worker a model (docs/models.md).`,
    );
  return models.chainOf({ agent, models: settings });
}

function checkPrice({ name: agent, ownCostLimit, limits }: Agent, { name, model }: ChainLink, settings: ModelSettings): void {
  if (!ownCostLimit || !Number.isFinite(limits.costUsd) || askedPrice({ asked: name, id: model }, settings) !== undefined) return;
  throw new ConfigError(
    `Agent ${agent} has limits.costUsd ${limits.costUsd}, and no price is known of its model ${JSON.stringify(name)}, so that the limit would not bind: set defineApp({ models: { ${JSON.stringify(name)}: { prices: { input, output, cacheRead, cacheWrite } } } }), in US dollars for a million tokens, or leave the limit out (docs/models.md).`,
  );
}

/**
 * Logs the models of which no price is known: the default limit in dollars does not bind, and the cost of a turn is unknown.
 * @returns their names
 */
export function warnOfPrices({ agents, models: settings = {} }: App, models: Models, log: ToolLogger): string[] {
  const links = agents.flatMap((agent) => chainOf(agent, settings, models));
  const unpriced = links.filter(({ name, model }) => askedPrice({ asked: name, id: model }, settings) === undefined);
  if (unpriced.length === 0) return [];
  const names = [...new Set(unpriced.map(({ name }) => name))];
  const todo = 'set `prices` of these models in defineApp({ models }), in US dollars for a million tokens (docs/models.md)';
  log.warn(
    { models: names, todo },
    'no price is known of these models: the cost of their steps is unknown, and limits in dollars do not bind',
  );
  return names;
}

/** @throws ConfigError for a missing package or key */
function checkSetup({ name: agent }: Agent, { name, provider }: ChainLink): void {
  try {
    provider.checkSetup?.();
  } catch (error) {
    throw new ConfigError(`Agent ${agent} cannot use its model ${JSON.stringify(name)}. ${errorMessage(error)}`);
  }
}

/** @throws ConfigError for a setting that the vendor of the model has no form for */
function checkThinking(agent: Agent, { name, provider, model, settings }: ChainLink): void {
  const thinking = thinkingOf(agent, settings);
  if (thinking === undefined) return;
  const fault =
    provider.thinkingFault === undefined
      ? `its provider ${provider.name} has no setting for it`
      : provider.thinkingFault(thinking, { model, maxTokens: agent.maxTokens });
  if (fault === null) return;
  throw new ConfigError(
    `Agent ${agent.name} has thinking ${JSON.stringify(thinking)}, and its model ${JSON.stringify(name)} cannot do that: ${fault}. Change it, or set \`thinking\` of this model in defineApp({ models }); false leaves the model as it is by itself (docs/models.md).`,
  );
}

/** Logs what the vendors of an agent's models do not take as it is: tools that they get without `strict`, for example. */
export function warnOfMisfits(agents: Iterable<PreparedAgent>, models: Models, log: ToolLogger): void {
  for (const prepared of agents) {
    const { agent, catalogue: tools } = prepared;
    const chain = models.chainOf(prepared);
    for (const { name: model, provider, settings } of chain) {
      const isFirstVendor = provider.name === chain[0]!.provider.name;
      const options = { ...(isFirstVendor ? agent.modelOptions : {}), ...settings.options };
      const misfits = provider.faultsOf?.({ tools, serverTools: isFirstVendor ? agent.serverTools : [], options }) ?? [];
      if (misfits.length > 0)
        log.warn({ agent: agent.name, model, misfits }, 'a model does not take these as the agent has them');
    }
  }
}
