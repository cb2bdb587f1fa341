import { limitsOf, spentBy } from './spending';
import type { TurnData } from './state';

/** Why the turn may not take another step, or null. */
export function limitReached(data: TurnData): string | null {
  const limits = limitsOf(data);
  if (!limits) return null;
  const { usage, steps, time_ms } = spentBy(data);
  const tokens = usage.input_tokens + usage.output_tokens;
  const limit = (name: 'steps' | 'tokens' | 'cost_usd' | 'time_ms', shown: string) =>
    data.share && data.share[name] <= (data.policy?.limits[name] ?? Infinity)
      ? `The limit of ${shown} that the turn above had left for it is reached`
      : `The agent's limit of ${shown} is reached`;
  if (steps >= limits.steps) return `${limit('steps', `${limits.steps} steps`)}.`;
  if (tokens >= limits.tokens) return `${limit('tokens', `${limits.tokens} tokens`)} (${tokens} used).`;
  if (usage.cost_usd >= limits.cost_usd)
    return `${limit('cost_usd', `$${limits.cost_usd}`)} ($${usage.cost_usd.toFixed(4)} used).`;
  if (time_ms >= limits.time_ms) return `${limit('time_ms', `${limits.time_ms} ms of working time`)}.`;
  return null;
}
