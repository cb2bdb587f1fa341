/** The Messages API's fields for thinking, by the vendor's page on each model's behaviour. */
import type { JsonObject } from '../../shared/json/json';
import type { Thinking } from '../../shared/thinking';
import type { ModelRequest } from '../provider';
import { budgetOf, mergeFields, type ThinkingModel, type VendorThinking } from '../thinking';

/** Ids on Bedrock and Vertex AI have more around the name. */
const WITHOUT_THINKING = /claude-(3-5|3-haiku|3-opus|3-sonnet|2|instant)/;
/** The model decides how much it thinks; an effort guides it. */
const ADAPTIVE = /claude-([a-z]+-4-[6-9]|[a-z]+-([5-9]|[1-9]\d)\b)/;
/** Adaptive models that take a budget all the same. */
const ADAPTIVE_WITH_BUDGET = /claude-[a-z]+-4-6/;

export function anthropicThinking(thinking: Thinking, { model, maxTokens }: ThinkingModel): VendorThinking {
  if (WITHOUT_THINKING.test(model))
    return thinking === 'off' ? { fields: {} } : { fault: `the model ${model} does not think` };
  if (thinking === 'off') return { fields: { thinking: { type: 'disabled' } } };
  const isAdaptive = ADAPTIVE.test(model);
  if (isAdaptive && typeof thinking === 'string')
    return { fields: { thinking: { type: 'adaptive' }, output_config: { effort: thinking } } };
  if (isAdaptive && !ADAPTIVE_WITH_BUDGET.test(model))
    return { fault: `the model ${model} takes no budget in tokens: say "low", "medium" or "high"` };
  const budget = budgetOf(thinking, maxTokens);
  return 'fault' in budget ? budget : { fields: { thinking: { type: 'enabled', budget_tokens: budget.budget } } };
}

/** The request's options with its thinking. What the options say themselves counts more. */
export function withThinking({ thinking, model, maxTokens, options }: ModelRequest): JsonObject {
  const made = thinking === undefined ? { fields: {} } : anthropicThinking(thinking, { model, maxTokens });
  return 'fault' in made ? options : mergeFields(made.fields, options);
}
