/**
 * Approval rules that depend on a call: the list of a tool, compiled once, and the entry that applies. The first entry whose
 * condition holds does. If none does, people are asked under the agent's common rule; if a condition before it cannot be evaluated,
 * under what all entries require together, or nobody is, where no role may approve under each of them. Like permission rules they
 * read facts only, so that an auditor can apply them again.
 */
import { strictestOf, type ApprovalPolicy, type PolicyEntry } from '../shared/approval/policy';
import { policyUnder, type ApprovalEntry, type Approvals, type ApprovalSettings } from './approvals';
import { compileCondition } from './conditions/compile';
import type { Condition, Outcome } from './conditions/condition';

export interface CompiledEntry {
  when: string | null;
  condition: Condition | null;
  allow: boolean;
  /** For an entry that allows: the common rule, under which people are asked if something holds the call. */
  policy: ApprovalPolicy;
}

/** The list of one tool. */
export interface ApprovalList {
  tool: string;
  entries: readonly CompiledEntry[];
  /** Where no entry fits. */
  otherwise: ApprovalPolicy;
  /** Where a condition fails: what any entry or the common rule requires. */
  failed: ApprovalPolicy;
  /** Why a call is refused whose condition fails: no role may approve under each entry. Null: people are asked. */
  noCommonRole: string | null;
}

/** The lists of an agent, by tool. */
export type ApprovalLists = ReadonlyMap<string, ApprovalList>;

export interface EntryVerdict {
  /** With the entry that gave it. */
  policy: ApprovalPolicy;
  /** `refuse`: nobody may be asked. */
  verdict: 'allow' | 'ask' | 'refuse';
  /** In words, what the entry says. */
  reason: string;
}

/** @throws Error if a condition is none: `approvalFaults` names it before */
export function compileApprovalLists(approvals: Approvals | undefined, worker: ApprovalSettings): ApprovalLists {
  const { tools = {}, ...common } = approvals ?? {};
  const otherwise = policyUnder(common, worker);
  return new Map(
    Object.entries(tools).flatMap(([tool, rule]) => {
      if (!Array.isArray(rule)) return [];
      const entries = rule.map((entry) => compile(entry, { ...common, ...entry }, worker));
      const asking = [otherwise, ...entries.filter(({ allow }) => !allow).map(({ policy }) => policy)] as const;
      const { policy: failed, isDecidable } = strictestOf(asking);
      const noCommonRole = isDecidable ? null : disjointText(asking);
      return [[tool, { tool, entries, otherwise, failed, noCommonRole }] as const];
    }),
  );
}

/** The lists of roles of which no role is in all. */
function disjointText(policies: readonly ApprovalPolicy[]): string {
  const lists = new Set(policies.flatMap(({ roles }) => (roles.length === 0 ? [] : [roles.join(', ')])));
  return `no role may approve under each of its rules (${[...lists].join('; ')})`.slice(0, 300);
}

function compile({ when, allow }: ApprovalEntry, rule: ApprovalEntry, worker: ApprovalSettings): CompiledEntry {
  const compiled = when === undefined ? null : compileCondition(when);
  if (compiled !== null && !compiled.ok) throw new Error(`when of an approval entry: ${compiled.fault}`);
  const condition = compiled?.condition ?? null;
  return { when: when ?? null, condition, allow: allow === true, policy: policyUnder(rule, worker) };
}

/** @param evaluate the outcome of a condition for the call */
export function applyEntries(list: ApprovalList, evaluate: (condition: Condition) => Outcome): EntryVerdict {
  const at = `approvals.tools.${list.tool}`;
  for (const [index, { when, condition, allow, policy }] of list.entries.entries()) {
    const holds = condition === null || evaluate(condition);
    if (holds === false) continue;
    const name = `entry ${index + 1} of ${at}`;
    const entry = (result: PolicyEntry['result']): PolicyEntry => ({ index: index + 1, when, result });
    if (holds !== true) {
      const why = holds.error.slice(0, 200).toWellFormed();
      const cause = `the condition of ${name} failed (${why})`;
      const policy = { ...list.failed, entry: entry('failed') };
      if (list.noCommonRole === null) return { policy, verdict: 'ask', reason: `${cause}, so it asks under the strictest entry` };
      const reason = `${cause}, and ${list.noCommonRole}, so nobody can be asked; the agent's ${at} must name a role in all of them`;
      return { policy, verdict: 'refuse', reason };
    }
    const reason = `${name} ${allow ? 'allows it' : 'asks'}${when === null ? '' : `: ${when}`}`;
    return { policy: { ...policy, entry: entry('matched') }, verdict: allow ? 'allow' : 'ask', reason };
  }
  const entry: PolicyEntry = { index: null, when: null, result: 'none' };
  return { policy: { ...list.otherwise, entry }, verdict: 'ask', reason: `no entry of ${at} fits` };
}
