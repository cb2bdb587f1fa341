/** Everything that decides on an agent's calls; its hash is the `policy_ref`. */
import type { JsonObject } from '../../shared/json/json';
import type { OuterMode } from '../../shared/turn/sub-turn';
import type { ApprovalSettings } from '../../rules/approvals';
import type { Hooks } from '../admit/hooks';
import type { Agent } from '../../agents/agent';

/**
 * Rules, conditions, mode, what approval takes, budgets, and the names of hooks and classifier (their code is the worker's version). What is at its
 * default is left out, so that rules of plain names keep the hash that they always had.
 */
export function policyOf(
  { permissions, approvalExpiryMs, classifier, approvals, budgets }: Agent,
  { before, after }: Hooks,
  { channel }: ApprovalSettings,
): JsonObject {
  const { mode, allow, ask, deny } = permissions;
  const named = {
    ...(mode === 'default' ? {} : { mode }),
    ...(before.length === 0 ? {} : { before_hooks: before.map((hook) => hook.name) }),
    ...(after.length === 0 ? {} : { after_hooks: after.map((hook) => hook.name) }),
    ...(classifier === undefined ? {} : { classifier: classifier.name }),
    ...(approvals === undefined ? {} : { approvals: JSON.parse(JSON.stringify(approvals)) as JsonObject }),
    ...(budgets === undefined ? {} : { budgets: JSON.parse(JSON.stringify(budgets)) as JsonObject[] }),
    ...(channel === 'any' ? {} : { channel }),
  };
  const rules = JSON.parse(JSON.stringify({ allow, ask, deny })) as JsonObject;
  return { v: 'holdfast.policy/1', permissions: rules, approval_expiry_ms: approvalExpiryMs, ...named };
}

/** The same, where the modes of turns above hold too. */
export function policyWithin(policyRef: string, within: readonly OuterMode[]): JsonObject {
  return { v: 'holdfast.policy_within/1', policy_ref: policyRef, within: [...within] };
}
