/** Finds the step before which a limit would have ended a turn. Its sub-agents' turns count against the same limits. */
import { number } from '../../record/fields';
import type { TurnCase, Usage } from '../case-file/types';
import type { ProposedLimits, Stop } from './types';

export interface Limits {
  steps: number;
  tokens: number;
  costUsd: number;
}

/** The limits that the turn had; null: the bundle does not have them. */
export function recordedLimits({ limits }: TurnCase): Limits | null {
  if (limits === null) return null;
  return {
    steps: number(limits.steps, Infinity),
    tokens: number(limits.tokens, Infinity),
    costUsd: number(limits.cost_usd, Infinity),
  };
}

/** @param below the turns of its sub-agents, each with the turns below it */
export function stopUnder(
  turn: TurnCase,
  below: { step: number; steps: number; usage: Usage }[],
  limits: Limits,
): Stop | null | 'cannot_tell' {
  const steps = turn.steps.filter(({ takenBack }) => !takenBack);
  const lastStep = turn.calls.some(({ step, takenBack }) => step === steps.length && !takenBack)
    ? steps.length + 1
    : steps.length;
  for (let next = 2; next <= lastStep; next++) {
    const entries = [...steps.slice(0, next - 1), ...below.filter(({ step }) => step < next)];
    const count = next - 1 + below.filter(({ step }) => step < next).reduce((sum, one) => sum + one.steps, 0);
    const total = (of: (usage: Usage) => number) => entries.reduce((sum, { usage }) => sum + of(usage), 0);
    const tokens = total((usage) => usage.inputTokens + usage.outputTokens);
    const cost = total((usage) => usage.costUsd);
    const stop = (reason: string): Stop => ({ beforeStep: next, reason });
    if (count >= limits.steps) return stop(`the limit of ${limits.steps} steps`);
    if (tokens >= limits.tokens) return stop(`the limit of ${limits.tokens} tokens (${tokens} used)`);
    if (cost >= limits.costUsd) return stop(`the limit of $${limits.costUsd} ($${cost.toFixed(4)} used)`);
  }
  return isAllKnown(turn, limits) ? null : 'cannot_tell';
}

/** Summaries cost tokens that no step records. If a step's result was left out, its cost is unknown. */
function isAllKnown({ transcript, steps }: TurnCase, { tokens, costUsd }: Limits): boolean {
  const hasSummary = transcript.some(({ own, kind }) => own && kind === 'summary');
  const hasUnknownCost = steps.some(({ activity }) => activity === null || activity.output === null);
  return !(hasSummary && (tokens < Infinity || costUsd < Infinity)) && !(hasUnknownCost && costUsd < Infinity);
}

export function mergeLimits(limits: Limits | null, changes: ProposedLimits): Limits {
  return { ...(limits ?? { steps: Infinity, tokens: Infinity, costUsd: Infinity }), ...changes };
}
