/**
 * Permission rules, and the verdict on one call. Pure: they read facts about a call, never the tool itself, so that an auditor
 * can apply them to a recorded call.
 */
export {
  approvalFaults,
  approvalPolicyOf,
  type ApprovalEntry,
  type ApprovalRule,
  type Approvals,
  type ApprovalSettings,
} from './approvals';
export { compileApprovalLists, type ApprovalList, type ApprovalLists } from './approval-entries';
export type { ConditionFacts, Condition, Expression, Outcome } from './conditions/condition';
export { decide } from './decide';
export { neverRuns, type Asker } from './decide';
export { compileRules, permissionFaults, shapeFaults, withDefaults, type Policy } from './policy';
export { readRecordedFacts, recordedFacts, type RecordedCall } from './recorded-facts';
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
