/**
 * How much a model thinks before it answers: one setting of an agent, which each vendor gets in its own form. What a vendor has no form
 * for keeps the worker from starting: a model that thinks other than it was told to would not be noticed.
 */
import { isJsonObject, type JsonObject } from '../shared/json/json';

export type ThinkingLevel = 'low' | 'medium' | 'high';

/** `budgetTokens`: at most so many tokens of thoughts in an answer; they count towards the agent's `maxTokens`. */
export type Thinking = 'off' | ThinkingLevel | { budgetTokens: number };

/** What a vendor needs to know beside it. */
export interface ThinkingModel {
  /** The vendor's id. */
  model: string;
  /** Of the agent. */
  maxTokens: number;
}

/** What a vendor makes of the setting: the fields of its request, or why it has none. */
export type VendorThinking = { fields: JsonObject } | { fault: string };

/** The fewest tokens that vendors take as a budget. */
const LEAST_BUDGET = 1024;

/** Parts of an agent's `maxTokens`, for models that know budgets only: the rest is for the answer. */
const SHARES: Readonly<Record<ThinkingLevel, number>> = { low: 0.25, medium: 0.5, high: 0.75 };

/** The tokens of a setting for a model that knows budgets only. */
export function budgetOf(
  thinking: ThinkingLevel | { budgetTokens: number },
  maxTokens: number,
): { budget: number } | { fault: string } {
  const budget =
    typeof thinking === 'object' ? thinking.budgetTokens : Math.max(LEAST_BUDGET, Math.floor(SHARES[thinking] * maxTokens));
  if (budget < LEAST_BUDGET) return { fault: `its thoughts may take ${budget} tokens, and vendors take ${LEAST_BUDGET} or more` };
  if (budget < maxTokens) return { budget };
  return {
    fault: `its thoughts may take ${budget} tokens, which leaves none of the agent's maxTokens (${maxTokens}) for the answer: raise maxTokens`,
  };
}

/** Both objects; where both have an object under one key, its fields. `own` counts more. */
export function mergeFields(fields: JsonObject, own: JsonObject): JsonObject {
  const merged = Object.entries(own).map(([key, value]) => {
    const field = Object.hasOwn(fields, key) ? fields[key]! : null;
    return [key, isJsonObject(field) && isJsonObject(value) ? mergeFields(field, value) : value] as const;
  });
  return { ...fields, ...Object.fromEntries(merged) };
}
