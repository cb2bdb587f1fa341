/** Permission: rules, modes, and the verdict on one call. */
export { decide } from './decide';
export { compilePolicy, permissionFaults, withDefaults, type Policy } from './policy';
export { readPermissions } from './read-permissions';
export { EFFECTS, MODES } from './types';
export type { AgentPermissions, CallFacts, Mode, RuleEntry, RuleTrace, TurnFacts, Verdict } from './types';
