/**
 * What approvals of a call require by the rules of this worker, where it is admitted, asked about again, run or settled. For a tool
 * with a list of approval rules, the entry for the call's input decides (rules/approval-entries.ts).
 */
import type { AdmitCallInput, RenewedPolicy } from '../../shared/io/activities';
import { stricter, type ApprovalPolicy } from '../../shared/approval/policy';
import { canonical } from '../../shared/json/canonical';
import { asJson, type JsonObject } from '../../shared/json/json';
import { decide } from '../../tools/admit/policy';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import type { Tool } from '../../tools/define/tool';
import { turnFacts } from './decide-call';

/** A call with the facts that conditions read. */
export interface PolicyFacts {
  turn: { requester: string; agent: string };
  callId: string;
  tool: Tool;
  input: JsonObject;
  untrusted: boolean;
}

export async function presentPolicy(agent: PreparedAgent, facts: PolicyFacts): Promise<ApprovalPolicy> {
  const { turn, callId, tool, input, untrusted } = facts;
  if (!agent.policy.approvals?.has(tool.name)) return agent.approval(tool.name);
  const verdict = await decide(agent.policy, { tool, input, turn: turnFacts(turn, callId, untrusted) });
  return verdict.approval!;
}

/** The call as it is asked about now. */
export interface AskedCall {
  tool: Tool;
  /** Before and after an approver's edit, or a hook. */
  before: JsonObject;
  input: JsonObject;
  /** What the entries say of `input`, if its verdict was just given. */
  approval: ApprovalPolicy | undefined;
}

/**
 * The rules under which a call is asked about, if they are not those of its admission: its input has changed, or it is asked about
 * again and the agent's rules have changed. It never needs less than before for the same input: not by the rules of a new build,
 * and not by those of an old one that still runs.
 */
export async function renewedPolicy(
  request: AdmitCallInput,
  agent: PreparedAgent,
  { tool, before, input, approval }: AskedCall,
): Promise<RenewedPolicy | null> {
  const { turn, call, held, edit, undecided, approval: required } = request;
  const isAskedAgain = Boolean(held ?? edit);
  const sameRules = agent.policyRef === call.policy_ref;
  if (!isAskedAgain && approval === undefined) return null;
  if (sameRules && approval === undefined) return null;
  const untrusted = request.untrusted ?? undecided?.untrusted ?? false;
  const facts = { turn, callId: call.id, tool, untrusted };
  const present = approval ?? (await presentPolicy(agent, { ...facts, input }));
  const policy_ref = agent.policyRef;
  if (required === undefined) return { policy_ref, approval: present };
  // Nobody has been asked yet, or what was required is what these rules say of the former input: then the present input decides.
  const isOwn = sameRules && (!isAskedAgain || same(required, await presentPolicy(agent, { ...facts, input: before })));
  const approvalNow = isOwn ? present : stricter(required, present);
  return sameRules && same(required, approvalNow) ? null : { policy_ref, approval: approvalNow };
}

function same(one: ApprovalPolicy, other: ApprovalPolicy): boolean {
  return canonical(asJson(one)) === canonical(asJson(other));
}
