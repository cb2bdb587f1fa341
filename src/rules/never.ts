/** Whether rules and modes keep every call of a tool from running, whatever its input is. */
import type { Policy } from './policy';
import type { Rule } from './rule';
import { READ_RESULT, type RuledTool, type TurnFacts } from './types';

/** Who asks for the call, and by which agent. */
export type Asker = Pick<TurnFacts, 'requester' | 'agent'>;

const WITH_EFFECTS: ReadonlySet<string> = new Set(['write', 'destructive', 'agent']);
const OF_ASKER = /^(?:tool\..+|turn\.requester|turn\.agent)$/;
/** About two milliseconds. */
const FEW_STEPS = 1_000_000;

/** @param asker absent: whoever asks for it */
export function neverRuns(policy: Policy, tool: RuledTool, asker?: Asker): boolean {
  const rules = policy.rulesOf(tool).map(({ rule }) => rule);
  const fits = (rule: Rule) => fitsEveryCall(rule, tool, asker);
  if (rules.some((rule) => rule.effect === 'deny' && fits(rule) === true)) return true;
  const modes = [policy.mode, ...(policy.within ?? [])];
  if (modes.includes('plan') && WITH_EFFECTS.has(tool.class)) return true;
  if (!modes.includes('locked') || tool.name === READ_RESULT) return false;
  return !rules.some((rule) => rule.effect !== 'deny' && fits(rule) !== false);
}

/** True: every call; false: none; null: it depends on the call. */
function fitsEveryCall({ pattern, condition, effect }: Rule, tool: RuledTool, asker: Asker | undefined): boolean | null {
  const whole = pattern === null ? true : null;
  if (condition === null) return whole;
  if (asker === undefined || !condition.reads.every((name) => OF_ASKER.test(name))) return null;
  const call = { tool, input: {}, turn: { ...asker, untrusted: false, step: 1 } };
  if (condition.steps(call) > FEW_STEPS) return null;
  const holds = condition.holds(call);
  // A condition that fails counts for the careful side, as in decide.ts.
  return (typeof holds === 'boolean' ? holds : effect !== 'allow') ? whole : false;
}
