/** Adds up what model requests used. */
import type { StepUsage } from '../io/activities';

export const NO_USAGE: Readonly<StepUsage> = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  cost_usd: 0,
};

/** Changes `sum`. A count that older steps do not report is 0. */
export function addUsage(sum: StepUsage, more: StepUsage): void {
  sum.input_tokens += more.input_tokens;
  sum.output_tokens += more.output_tokens;
  sum.cache_read_tokens += more.cache_read_tokens;
  sum.cache_creation_tokens = (sum.cache_creation_tokens ?? 0) + (more.cache_creation_tokens ?? 0);
  sum.cost_usd += more.cost_usd;
}

/** The share of all tokens sent to the model that came from its prompt cache, 0 to 1; null: nothing was sent. */
export function cachedShare({ input_tokens, cache_read_tokens, cache_creation_tokens = 0 }: StepUsage): number | null {
  const total = input_tokens + cache_read_tokens + cache_creation_tokens;
  return total === 0 ? null : cache_read_tokens / total;
}
