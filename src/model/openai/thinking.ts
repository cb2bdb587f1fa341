/** OpenAI's fields for reasoning. Its models know efforts, and no budgets. */
import type { JsonObject } from '../../shared/json/json';
import type { Thinking } from '../../shared/thinking';
import { mergeFields, type VendorThinking } from '../thinking';
import type { ModelRequest } from '../provider';
import type { Api } from './content-parts';

const WITHOUT_REASONING = /^(gpt-[34]|chatgpt-4|text-|davinci)/;
/** These think always; the first of them know an effort that comes close to none. */
const MINIMAL = /^gpt-5(-(mini|nano))?(-\d{4}-\d{2}-\d{2})?$/;
const ALWAYS = /^o\d/;

/** @returns the effort in the vendor's word; null: nothing is sent */
export function openAiEffort(thinking: Thinking, model: string): { effort: string | null } | { fault: string } {
  if (typeof thinking === 'object')
    return { fault: 'models of OpenAI take no budget in tokens: say "low", "medium" or "high"' };
  if (WITHOUT_REASONING.test(model)) return thinking === 'off' ? { effort: null } : { fault: `the model ${model} does not reason` };
  if (thinking !== 'off') return { effort: thinking };
  if (ALWAYS.test(model)) return { fault: `the model ${model} always reasons: say "low"` };
  return { effort: MINIMAL.test(model) ? 'minimal' : 'none' };
}

export function openAiThinking(thinking: Thinking, model: string, api: Api): VendorThinking {
  const made = openAiEffort(thinking, model);
  if ('fault' in made) return made;
  if (made.effort === null) return { fields: {} };
  return { fields: api === 'chat' ? { reasoning_effort: made.effort } : { reasoning: { effort: made.effort } } };
}

/** The request's options with its thinking. What the options say themselves counts more. */
export function withThinking({ thinking, model, options }: ModelRequest, api: Api): JsonObject {
  const made = thinking === undefined ? { fields: {} } : openAiThinking(thinking, model, api);
  return 'fault' in made ? options : mergeFields(made.fields, options);
}
