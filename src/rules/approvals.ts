/** Approval rules of an agent: their definition, their faults, and the policy that they give for a tool. */
import type { ApprovalPolicy } from '../shared/approval/approval';
import { ASK_PERSON, questionPolicy } from '../shared/approval/person-question';
import { isFrom } from '../shared/turn/tool-class';
import { unknownFields } from '../shared/json/json';

export interface ApprovalRule {
  /** `attested`: only signed decisions count. Never weaker than the worker's setting (HOLDFAST_APPROVALS). */
  channel?: 'any' | 'attested';
  /** People who must approve, from 1 to 10. Default 1. */
  quorum?: number;
  /** An approver must hold one of these roles. Default: anybody may approve. Only signed decisions show roles. */
  roles?: string[];
  /** The requester of a call may not approve it. Default: true if decisions are attested. */
  fourEyes?: boolean;
  /** How long before the expiry the approvers are reminded, ms each; at most 5. */
  remindMs?: number[];
}

export interface Approvals extends ApprovalRule {
  /** Rules for single tools, which override the fields above. */
  tools?: Record<string, ApprovalRule>;
}

/** The worker's settings for approvals. */
export interface ApprovalSettings {
  channel: 'any' | 'attested';
  /** The worker has a notifier. */
  notify: boolean;
}

const FIELDS = ['channel', 'quorum', 'roles', 'fourEyes', 'remindMs'];
const MOST_PEOPLE = 10;
const MOST_REMINDERS = 5;
const ROLE = /^[A-Za-z0-9._:-]{1,64}$/;

/** Every fault of an agent's approvals, in words. */
export function approvalFaults(
  approvals: Approvals | undefined,
  tools: readonly { name: string }[],
  servers: readonly string[] = [],
): string[] {
  if (approvals === undefined) return [];
  const { tools: single = {}, ...common } = approvals;
  const toolNames = new Set(tools.map(({ name }) => name));
  return [
    ...ruleFaults('approvals', common),
    ...Object.entries(single).flatMap(([name, rule]) => [
      ...(toolNames.has(name) || isFrom(servers, name)
        ? []
        : [`approvals.tools names ${JSON.stringify(name)}, which the agent does not have`]),
      ...ruleFaults(`approvals.tools.${name}`, rule),
    ]),
  ];
}

function ruleFaults(at: string, rule: ApprovalRule): string[] {
  const { channel, quorum = 1, roles = [], fourEyes, remindMs = [] } = rule;
  const faults: [boolean, string][] = [
    [channel !== undefined && channel !== 'any' && channel !== 'attested', `channel must be any or attested`],
    [!(Number.isInteger(quorum) && quorum >= 1 && quorum <= MOST_PEOPLE), `quorum must be an integer from 1 to ${MOST_PEOPLE}`],
    [!(Array.isArray(roles) && roles.every((role) => ROLE.test(role))), `roles must be a list of names (${ROLE.source})`],
    [fourEyes !== undefined && typeof fourEyes !== 'boolean', `fourEyes must be true or false`],
    [
      !(Array.isArray(remindMs) && remindMs.length <= MOST_REMINDERS && remindMs.every((ms) => ms > 0)),
      `remindMs must be a list of up to ${MOST_REMINDERS} times, ms before the expiry`,
    ],
  ];
  return [...unknownFields(rule, FIELDS, at), ...faults.filter(([wrong]) => wrong).map(([, text]) => `${at}: ${text}`)];
}

export function approvalPolicyOf(approvals: Approvals | undefined, tool: string, worker: ApprovalSettings): ApprovalPolicy {
  const { tools = {}, ...common } = approvals ?? {};
  const rule: ApprovalRule = { ...common, ...(Object.hasOwn(tools, tool) ? tools[tool] : {}) };
  const channel = worker.channel === 'attested' ? 'attested' : (rule.channel ?? 'any');
  const policy: ApprovalPolicy = {
    channel,
    quorum: rule.quorum ?? 1,
    roles: rule.roles ?? [],
    // Where names are only claimed, a person could evade the rule under another name: it applies only if the agent sets it.
    four_eyes: rule.fourEyes ?? channel === 'attested',
    remind_ms: rule.remindMs ?? [],
    notify: worker.notify,
  };
  return tool === ASK_PERSON ? questionPolicy(policy) : policy;
}
