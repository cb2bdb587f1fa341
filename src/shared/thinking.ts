/** How much a model thinks before it answers: the setting of an agent, as its author writes it. */

const LEVELS = ['low', 'medium', 'high'] as const;
export type ThinkingLevel = (typeof LEVELS)[number];

/** `budgetTokens`: at most so many tokens of thoughts in an answer; they count towards the agent's `maxTokens`. */
export type Thinking = 'off' | ThinkingLevel | { budgetTokens: number };

/** The fewest tokens that vendors take as a budget. */
export const LEAST_BUDGET = 1024;

/** Faults of the setting itself, as texts. */
export function thinkingFaults(thinking: unknown, of: string): string[] {
  if (thinking === undefined || thinking === 'off' || LEVELS.some((level) => level === thinking)) return [];
  const budget: unknown =
    typeof thinking === 'object' && thinking !== null && Object.keys(thinking).join() === 'budgetTokens'
      ? (thinking as { budgetTokens: unknown }).budgetTokens
      : undefined;
  if (Number.isSafeInteger(budget) && (budget as number) >= LEAST_BUDGET) return [];
  return [
    `${of} is ${JSON.stringify(thinking)}; it must be "off", "low", "medium", "high", or { budgetTokens } with an integer from ${LEAST_BUDGET}`,
  ];
}
