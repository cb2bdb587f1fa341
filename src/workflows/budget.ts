import type { TurnData } from './state';

/** Why the turn may not take another step, or null. */
export function limitReached(data: TurnData): string | null {
  const limits = data.policy?.limits;
  if (!limits) return null;
  const tokens = data.usage.input_tokens + data.usage.output_tokens;
  if (data.step >= limits.steps) return `The agent's limit of ${limits.steps} steps is reached.`;
  if (tokens >= limits.tokens) return `The agent's limit of ${limits.tokens} tokens is reached (${tokens} used).`;
  if (data.usage.cost_usd >= limits.cost_usd) {
    return `The agent's limit of $${limits.cost_usd} is reached ($${data.usage.cost_usd.toFixed(4)} used).`;
  }
  if (data.worked_ms >= limits.time_ms) return `The agent's limit of ${limits.time_ms} ms of working time is reached.`;
  return null;
}
