/**
 * Thinking for the packages of the AI SDK. Version 4 of the interface has a field for efforts; before it, and for budgets, each vendor has
 * fields of its own in `providerOptions`.
 */
import type { JsonObject } from '../../shared/json/json';
import type { Thinking } from '../../shared/thinking';
import { anthropicThinking } from '../anthropic/thinking';
import { openAiEffort } from '../openai/thinking';
import { budgetOf, mergeFields, type ThinkingModel, type VendorThinking } from '../thinking';
import type { ModelRequest } from '../provider';
import type { AiSdkLanguageModel } from './types';

export type NamedModel = Pick<AiSdkLanguageModel, 'provider' | 'modelId' | 'specificationVersion'>;

export function aiSdkThinking(thinking: Thinking, named: NamedModel, maxTokens: number): VendorThinking {
  const { provider, modelId: model, specificationVersion } = named;
  if (specificationVersion === 'v4' && typeof thinking === 'string')
    return { fields: { reasoning: thinking === 'off' ? 'none' : thinking } };
  const of = { model, maxTokens };
  if (/^(openai|azure)\b/.test(provider)) return ofOpenAi(thinking, model);
  if (/\banthropic\b/.test(provider)) return ofAnthropic(thinking, of);
  if (/^google\b/.test(provider)) return ofGoogle(thinking, of);
  if (/^amazon-bedrock\b/.test(provider)) return ofBedrock(thinking, of);
  return { fault: `the package ${provider} has no setting for it that is known: put its own field into \`options.providerOptions\` of the model` };
}

function ofOpenAi(thinking: Thinking, model: string): VendorThinking {
  const made = openAiEffort(thinking, model);
  if ('fault' in made) return made;
  return made.effort === null ? { fields: {} } : forVendor('openai', { reasoningEffort: made.effort });
}

function ofAnthropic(thinking: Thinking, of: ThinkingModel): VendorThinking {
  const made = anthropicThinking(thinking, of);
  if ('fault' in made) return made;
  const { thinking: how, output_config: output } = made.fields as { thinking?: JsonObject; output_config?: JsonObject };
  if (how === undefined) return { fields: {} };
  const { type, budget_tokens: budgetTokens } = how;
  return forVendor('anthropic', { thinking: { type: type!, ...(budgetTokens === undefined ? {} : { budgetTokens }) }, ...output });
}

/** Models since Gemini 3 know levels, those before budgets; the larger ones always think. */
function ofGoogle(thinking: Thinking, of: ThinkingModel): VendorThinking {
  const { model } = of;
  const knowsLevels = /gemini-([3-9]|[1-9]\d)/.test(model);
  if (!/gemini-(2\.5|[3-9]|[1-9]\d)/.test(model))
    return thinking === 'off' ? { fields: {} } : { fault: `the model ${model} does not think, as far as is known` };
  if (thinking === 'off') {
    if (knowsLevels || model.includes('pro')) return { fault: `the model ${model} always thinks: say "low"` };
    return forVendor('google', { thinkingConfig: { thinkingBudget: 0 } });
  }
  if (knowsLevels && typeof thinking === 'string') return forVendor('google', { thinkingConfig: { thinkingLevel: thinking } });
  const budget = budgetOf(thinking, of.maxTokens);
  return 'fault' in budget ? budget : forVendor('google', { thinkingConfig: { thinkingBudget: budget.budget } });
}

/** Bedrock has the models of many vendors; only those of Anthropic have these fields. */
function ofBedrock(thinking: Thinking, of: ThinkingModel): VendorThinking {
  if (!of.model.includes('anthropic')) return { fault: `no setting for it is known of the model ${of.model} of Bedrock` };
  const made = anthropicThinking(thinking, of);
  if ('fault' in made) return made;
  const { thinking: how, output_config: output } = made.fields as { thinking?: JsonObject; output_config?: JsonObject };
  if (how === undefined) return { fields: {} };
  const { type, budget_tokens: budgetTokens } = how;
  const effort = output?.effort;
  return forVendor('bedrock', {
    reasoningConfig: {
      type: type!,
      ...(budgetTokens === undefined ? {} : { budgetTokens }),
      ...(effort === undefined ? {} : { maxReasoningEffort: effort }),
    },
  });
}

function forVendor(vendor: string, fields: JsonObject): VendorThinking {
  return { fields: { providerOptions: { [vendor]: fields } } };
}

/** The request's options with its thinking. What the options say themselves counts more. */
export function withThinking({ thinking, options, maxTokens }: ModelRequest, named: NamedModel): JsonObject {
  const made = thinking === undefined ? { fields: {} } : aiSdkThinking(thinking, named, maxTokens);
  return 'fault' in made ? options : mergeFields(made.fields, options);
}
