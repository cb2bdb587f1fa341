/** What a turn has used and what it has left. Its sub-agents' turns spend of the same: what runs has it reserved. */
import { addUsage, narrower, NOTHING_SPENT, type Spent, type TurnLimits } from '../../shared/turn/sub-turn';
import type { TurnUsage } from '../../shared/turn/turn-view';
import type { TurnData } from './state';

/** Ended sub-agents included. Working time: that of the longest of those that ran beside each other. */
export function spentBy(data: TurnData): Spent {
  const below = data.below ?? NOTHING_SPENT;
  return { usage: addUsage(data.usage, below.usage), steps: data.step + below.steps, time_ms: data.worked_ms };
}

/** The same for whoever looks, with what is known of sub-agents that run. */
export function usageSoFar(data: TurnData): TurnUsage {
  const running = (data.subs ?? []).filter(({ reserved }) => reserved !== null);
  return running.reduce((sum, { report }) => (report ? addUsage(sum, report.spent.usage) : sum), spentBy(data).usage);
}

/** The agent's own limits, and what the turn above has reserved for this one. Null before the first step has answered. */
export function limitsOf({ policy, share }: TurnData): TurnLimits | null {
  if (!policy) return share ?? null;
  return share ? narrower(policy.limits, share) : policy.limits;
}

/** Not spent, and reserved for nobody. */
export function leftOf(data: TurnData, limits: TurnLimits): TurnLimits {
  const { usage, steps, time_ms } = spentBy(data);
  const reserved = (data.subs ?? []).flatMap((sub) => sub.reserved ?? []);
  const held = (of: (limit: TurnLimits) => number) => reserved.reduce((sum, limit) => sum + of(limit), 0);
  return {
    steps: limits.steps - steps - held((limit) => limit.steps),
    tokens: limits.tokens - usage.input_tokens - usage.output_tokens - held((limit) => limit.tokens),
    cost_usd: limits.cost_usd - usage.cost_usd - held((limit) => limit.cost_usd),
    time_ms: limits.time_ms - time_ms,
  };
}

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
