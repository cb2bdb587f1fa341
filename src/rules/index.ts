/**
 * Permission rules, and the verdict on one call. Pure: they look at facts about a call, never at a tool, so that an auditor
 * can ask them about a recorded call.
 */
export { approvalFaults, approvalPolicyOf, type ApprovalRule, type Approvals, type ApprovalSettings } from './approvals';
export type { AskedCall, Condition, Expression, Outcome } from './conditions/condition';
export { decide } from './decide';
export { neverRuns, type Asker } from './decide';
export { compileRules, permissionFaults, shapeFaults, withDefaults, type Policy } from './policy';
export { readRecordedFacts, recordedFacts, type RecordedCall } from './recorded';
export { EFFECTS, MODES, READ_RESULT } from './types';
export { runsFiles, type RunsFiles } from './programs';
export type {
  AgentPermissions,
  CallFacts,
  FileHashes,
  Mode,
  RuledTool,
  RuleEntry,
  RuleFiles,
  RuleTrace,
  TargetKind,
  TurnFacts,
  Verdict,
} from './types';
