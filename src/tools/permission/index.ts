/** Permission: an agent's rules, asked about calls of its tools. The rules themselves are in `rules/`. */
export { recordedFacts, withDefaults, EFFECTS, MODES } from '../../rules';
export type { AgentPermissions, Mode, Policy, RuleEntry, RuleTrace, TurnFacts, Verdict } from '../../rules';
export { decide, decideOn } from './decide';
export { factsOf, type ToolCall } from './facts';
export { compilePolicy, permissionFaults } from './policy';
