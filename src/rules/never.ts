/** Whether rules and modes keep every call of a tool from running, whatever its input is, and whoever asks for it. */
import type { Policy } from './policy';
import { READ_RESULT, type RuledTool } from './types';

const WITH_EFFECTS: ReadonlySet<string> = new Set(['write', 'destructive', 'agent']);

export function neverRuns(policy: Policy, tool: RuledTool): boolean {
  const rules = policy.rulesOf(tool).map(({ rule }) => rule);
  if (rules.some(({ effect, pattern, condition }) => effect === 'deny' && pattern === null && condition === null)) return true;
  const modes = [policy.mode, ...(policy.within ?? [])];
  if (modes.includes('plan') && WITH_EFFECTS.has(tool.class)) return true;
  return modes.includes('locked') && tool.name !== READ_RESULT && !rules.some(({ effect }) => effect !== 'deny');
}
