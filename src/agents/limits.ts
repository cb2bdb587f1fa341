/** Limits of one turn of an agent. */
export interface AgentLimits {
  /** Model requests in one turn. Default 40. */
  steps: number;
  /** Input and output tokens in one turn. Default 2,000,000. */
  tokens: number;
  /** US dollars in one turn. Default 20. An agent that sets it needs a model with a price (docs/models.md). */
  costUsd: number;
  /** Working time in one turn, ms, without the time that calls wait for a person. Default 3,600,000. */
  timeMs: number;
}

export const DEFAULT_LIMITS: AgentLimits = { steps: 40, tokens: 2_000_000, costUsd: 20, timeMs: 3_600_000 };

export const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS);

/** The invalid limits, one line each. JSON cannot carry larger numbers exactly, so they could not be read back from the record. */
export function limitFaults(limits: Partial<AgentLimits>): string[] {
  const isLimit = (value: number) => value > 0 && (value <= Number.MAX_SAFE_INTEGER || value === Infinity);
  return Object.entries(limits)
    .filter(([, value]) => !isLimit(value))
    .map(([key, value]) => `limits.${key} is ${value}; it must be positive, and at most ${Number.MAX_SAFE_INTEGER} or Infinity`);
}
