/** Checks, before a worker serves an app, that its models can be asked and paid for, and says what a vendor will not take. */
import type { App } from '../agents/define';
import type { Agent } from '../agents/agent';
import { ConfigError } from '../config/error';
import type { ChainLink } from '../model/fallback';
import { namesOf, type Models } from '../model/models';
import { askedPrice } from '../model/prices';
import type { ModelSettings } from '../model/settings';
import type { PreparedAgent } from '../tools/catalogue/registry';
import { errorMessage } from '../shared/text/error-message';
import type { ToolLogger } from '../tools/define/tool';

/** @throws ConfigError for a model that nobody serves, and for a cost limit on a model without a known price */
export function checkModels({ agents, models: settings = {} }: App, models: Models): void {
  for (const agent of agents)
    for (const link of chainOf(agent, settings, models)) {
      checkPrice(agent, link, settings);
      checkSetup(agent, link);
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

/** @throws ConfigError for a missing package or key */
function checkSetup({ name: agent }: Agent, { name, provider }: ChainLink): void {
  try {
    provider.checkSetup?.();
  } catch (error) {
    throw new ConfigError(`Agent ${agent} cannot use its model ${JSON.stringify(name)}. ${errorMessage(error)}`);
  }
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
