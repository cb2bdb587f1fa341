/** Approval rules of an agent: their definition, their faults, and the policy that they give for a tool. */
import { ASK_PERSON, questionPolicy } from '../shared/approval/person-question';
import type { ApprovalPolicy, EscalationRule } from '../shared/approval/policy';
import { isJsonObject, unknownFields, type JsonObject } from '../shared/json/json';
import { isFrom } from '../shared/turn/tool-class';
import { compileCondition } from './conditions/compile';

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
  /** Who may approve as well, after people have been asked for this long; at most 5. */
  escalate?: { afterMs: number; roles: string[] }[];
}

/** One entry of a list: the first whose condition holds applies to the call. */
export interface ApprovalEntry extends ApprovalRule {
  /** A CEL expression over `input`, `tool` and `turn`, as in permission rules. Absent: the entry fits every call. */
  when?: string;
  /** The call runs without being asked about, unless a permission rule asks or denies, or something holds it. */
  allow?: true;
}

export interface Approvals extends ApprovalRule {
  /** Rules for single tools, which override the fields above; or lists, which decide by the input (docs/approvals.md, *By the input*). */
  tools?: Record<string, ApprovalRule | ApprovalEntry[]>;
}

/** The worker's settings for approvals. */
export interface ApprovalSettings {
  channel: 'any' | 'attested';
  /** The worker has a notifier. */
  notify: boolean;
}

/** What faults of approvals are found with. Without a schema the fields that a condition names are not compared. */
export interface NamedTool {
  name: string;
  readonly schema?: JsonObject;
}

const FIELDS = ['channel', 'quorum', 'roles', 'fourEyes', 'remindMs', 'escalate'];
const MOST_PEOPLE = 10;
const MOST_TIMES = 5;
export const MOST_ENTRIES = 20;
const ROLE = /^[A-Za-z0-9._:-]{1,64}$/;

/** Every fault of an agent's approvals, in words. */
export function approvalFaults(
  approvals: Approvals | undefined,
  tools: readonly NamedTool[],
  servers: readonly string[] = [],
): string[] {
  if (approvals === undefined) return [];
  const { tools: single = {}, ...common } = approvals;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return [
    ...ruleFaults('approvals', common),
    ...Object.entries(single).flatMap(([name, rule]) => {
      const at = `approvals.tools.${name}`;
      return [
        ...(name === ASK_PERSON && Array.isArray(rule) ? [`${at}: a question of the model takes no list`] : []),
        ...(byName.has(name) || isFrom(servers, name)
          ? []
          : [`approvals.tools names ${JSON.stringify(name)}, which the agent does not have`]),
        ...(Array.isArray(rule)
          ? listFaults(at, rule, common, byName.get(name))
          : [...ruleFaults(at, rule), ...escalationFault(at, rule, common)]),
      ];
    }),
    ...(Object.keys(single).length === 0 ? escalationFault('approvals', common, {}) : []),
  ];
}

function listFaults(at: string, entries: ApprovalEntry[], common: ApprovalRule, tool: NamedTool | undefined): string[] {
  if (entries.length === 0 || entries.length > MOST_ENTRIES) return [`${at}: a list has 1 to ${MOST_ENTRIES} entries`];
  const always = entries.findIndex((entry) => entry?.when === undefined);
  return [
    ...entries.flatMap((entry, index) => entryFaults(`${at}[${index}]`, entry, common, tool)),
    ...(always !== -1 && always < entries.length - 1
      ? [`${at}: entry ${always + 1} has no condition, so the entries after it never apply`]
      : []),
  ];
}

function entryFaults(at: string, entry: ApprovalEntry, common: ApprovalRule, tool: NamedTool | undefined): string[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [`${at} must be an object`];
  const { when, allow, ...rule } = entry;
  if (allow !== undefined && (allow !== true || Object.keys(rule).length > 0))
    return [`${at}: allow must be true, and beside it only when: nobody is asked`];
  const condition = when === undefined ? null : compileCondition(when);
  return [
    ...(condition !== null && !condition.ok ? [`${at}.when: ${condition.fault}`] : []),
    ...(condition?.ok ? fieldFaults(at, condition.condition.inputFields, tool) : []),
    ...ruleFaults(at, rule),
    ...escalationFault(at, rule, common),
  ];
}

/** A field that the tool does not have is a typo, and would make the condition fail for every call. */
function fieldFaults(at: string, fields: readonly string[], tool: NamedTool | undefined): string[] {
  const { schema } = tool ?? {};
  const properties = schema?.properties;
  if (schema === undefined || schema.additionalProperties !== false || !isJsonObject(properties)) return [];
  return fields
    .filter((field) => !Object.hasOwn(properties, field))
    .map((field) => `${at}.when: the input has no field ${field}`);
}

function ruleFaults(at: string, rule: ApprovalRule): string[] {
  const { channel, quorum = 1, roles = [], fourEyes, remindMs = [], escalate = [] } = rule;
  const faults: [boolean, string][] = [
    [channel !== undefined && channel !== 'any' && channel !== 'attested', `channel must be any or attested`],
    [!(Number.isInteger(quorum) && quorum >= 1 && quorum <= MOST_PEOPLE), `quorum must be an integer from 1 to ${MOST_PEOPLE}`],
    [!areRoles(roles), `roles must be a list of names (${ROLE.source})`],
    [fourEyes !== undefined && typeof fourEyes !== 'boolean', `fourEyes must be true or false`],
    [
      !(Array.isArray(remindMs) && remindMs.length <= MOST_TIMES && remindMs.every((ms) => ms > 0)),
      `remindMs must be a list of up to ${MOST_TIMES} times, ms before the expiry`,
    ],
    [
      !(Array.isArray(escalate) && escalate.length <= MOST_TIMES && escalate.every(isEscalation)),
      `escalate must be a list of up to ${MOST_TIMES} {afterMs, roles}: ms after people were asked, and who may approve from then on`,
    ],
  ];
  return [...unknownFields(rule, FIELDS, at), ...faults.filter(([wrong]) => wrong).map(([, text]) => `${at}: ${text}`)];
}

/** Without roles anybody may approve from the beginning. */
function escalationFault(at: string, rule: ApprovalRule, common: ApprovalRule): string[] {
  const { roles = [], escalate } = { ...common, ...rule };
  if (rule.escalate === undefined || !Array.isArray(escalate) || escalate.length === 0 || !Array.isArray(roles)) return [];
  return roles.length > 0 ? [] : [`${at}: escalate goes with roles: without them anybody may approve from the beginning`];
}

function areRoles(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((role) => typeof role === 'string' && ROLE.test(role));
}

function isEscalation(value: unknown): boolean {
  const { afterMs, roles, ...more } = (value ?? {}) as { afterMs?: unknown; roles?: unknown };
  const time = typeof afterMs === 'number' && Number.isSafeInteger(afterMs) && afterMs > 0;
  return time && areRoles(roles) && roles.length > 0 && Object.keys(more).length === 0;
}

/** The policy of a tool whose rule is no list. */
export function approvalPolicyOf(approvals: Approvals | undefined, tool: string, worker: ApprovalSettings): ApprovalPolicy {
  const { tools = {}, ...common } = approvals ?? {};
  const own = Object.hasOwn(tools, tool) ? tools[tool]! : {};
  const policy = policyUnder({ ...common, ...(Array.isArray(own) ? {} : own) }, worker);
  return tool === ASK_PERSON ? questionPolicy(policy) : policy;
}

export function policyUnder(rule: ApprovalRule, worker: ApprovalSettings): ApprovalPolicy {
  const channel = worker.channel === 'attested' ? 'attested' : (rule.channel ?? 'any');
  const roles = rule.roles ?? [];
  const escalate = roles.length === 0 ? [] : (rule.escalate ?? []).map(toRule).sort((a, b) => a.after_ms - b.after_ms);
  return {
    channel,
    quorum: rule.quorum ?? 1,
    roles,
    // Where names are only claimed, a person could evade the rule under another name: it applies only if the agent sets it.
    four_eyes: rule.fourEyes ?? channel === 'attested',
    remind_ms: rule.remindMs ?? [],
    notify: worker.notify,
    ...(escalate.length > 0 ? { escalate } : {}),
  };
}

function toRule({ afterMs, roles }: { afterMs: number; roles: string[] }): EscalationRule {
  return { after_ms: afterMs, roles };
}
