/** Reads rules, and the agent definitions that rules need, from the objects of a bundle. */
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import type { OuterMode } from '../shared/turn/sub-turn';
import { TOOL_CLASSES, type ToolClass } from '../shared/turn/tool-class';
import {
  approvalFaults,
  compileApprovalLists,
  EFFECTS,
  shapeFaults,
  type AgentPermissions,
  type ApprovalList,
  type ApprovalLists,
  type Approvals,
  type RuledTool,
  type TargetKind,
} from '../rules';
import { list, object, text, textOrNull } from '../record/fields';

/** More than any agent has. A limit is needed because anybody can make a bundle. */
const MOST_RULES = 10_000;

export type Objects = ReadonlyMap<string, Json>;

/** The rules of a `policy_ref`. Null: the bundle does not have them. */
export function recordedRules(objects: Objects, ref: string | null): AgentPermissions | null {
  const policy = objects.get(ref ?? '');
  const inner = innerPolicy(policy);
  const own = object(inner === null ? policy : objects.get(inner));
  if (own.v !== 'holdfast.policy/1' || !isJsonObject(own.permissions)) return null;
  const { allow = null, ask = null, deny = null } = own.permissions;
  const rules: JsonObject = { mode: own.mode ?? 'default', allow, ask, deny };
  if (!isPermissions(rules)) return null;
  return rules.allow.length + rules.ask.length + rules.deny.length > MOST_RULES ? null : rules;
}

/**
 * The lists of approval rules of a `policy_ref`, by tool. They require what the agent's definition says: a policy names neither the
 * worker's notifier nor the defaults. Null: the bundle does not have them, or has some that no engine takes.
 * @param definitionLists the lists of the agent's definition
 */
export function recordedLists(objects: Objects, ref: string | null, definitionLists: JsonObject): ApprovalLists | null {
  const policy = objects.get(ref ?? '');
  const inner = innerPolicy(policy);
  const own = object(inner === null ? policy : objects.get(inner));
  if (own.v !== 'holdfast.policy/1') return null;
  const { approvals = {}, channel } = own;
  if (!isJsonObject(approvals)) return null;
  const { tools = {} } = approvals;
  if (!isJsonObject(tools) || Object.keys(tools).length > MOST_RULES) return null;
  const lists = Object.entries(tools).filter(([, rule]) => Array.isArray(rule));
  if (lists.length === 0) return new Map();
  const whole = { ...approvals, tools: Object.fromEntries(lists) } as Approvals;
  const settings = { channel: channel === 'attested' ? 'attested' : 'any', notify: false } as const;
  try {
    const names = lists.map(([name]) => ({ name }));
    if (approvalFaults(whole, names).length > 0) return null;
    return new Map(
      [...compileApprovalLists(whole, settings)].map(([tool, one]) => [tool, byDefinition(one, definitionLists[tool])]),
    );
  } catch {
    return null; // made up: no agent has such rules
  }
}

/** Whether a failed condition refuses a call, as the definition says: older builds asked then. */
export function byDefinition(list: ApprovalList, of: Json | undefined): ApprovalList {
  const refuses = object(of).failed_refuses === true;
  return { ...list, noCommonRole: refuses ? (list.noCommonRole ?? "its agent's definition says so") : null };
}

/** Entries are not checked: the parser of rules leaves out those that it cannot read. */
function isPermissions(rules: JsonObject): rules is JsonObject & AgentPermissions {
  return EFFECTS.every((effect) => Array.isArray(rules[effect])) && shapeFaults(rules).length === 0;
}

/** The `policy_ref` of the rules inside a `holdfast.policy_within/1`, which adds modes of turns above. Null: another object. */
export function innerPolicy(value: Json | undefined): string | null {
  const { v, policy_ref } = object(value);
  return v === 'holdfast.policy_within/1' ? text(policy_ref) : null;
}

/** Modes of turns above that are part of a `policy_ref`. */
export function recordedOuter(objects: Objects, ref: string): OuterMode[] {
  return outerModes(object(objects.get(ref)).within);
}

export function outerModes(within: Json | undefined): OuterMode[] {
  return list(within).filter((mode): mode is OuterMode => mode === 'plan' || mode === 'locked');
}

/** An agent's definition, as far as rules use it. */
export interface RecordedAgent {
  name: string;
  tools: RuledTool[];
  servers: string[];
  /** The agent has a classifier, which decides in mode `auto`. */
  classifies: boolean;
  /** By tool: its list of approval rules, and what each entry requires. */
  lists: JsonObject;
}

/** Null: the value is no definition of an agent. */
export function recordedAgent(value: Json | undefined): RecordedAgent | null {
  const definition = object(value);
  if (definition.v !== 'holdfast.agent/1') return null;
  const tools = list(definition.tools).flatMap((tool) => ruledTool(object(tool)));
  const servers = list(definition.mcp_servers).map(text);
  const classifies = definition.classifier !== null;
  return { name: text(definition.name), tools, servers, classifies, lists: object(definition.approval_lists) };
}

function ruledTool({ name, version, class: toolClass, group, egress, rule_target, input_schema }: JsonObject): RuledTool[] {
  if (!isClass(toolClass) || !isJsonObject(input_schema)) return [];
  const groupField = textOrNull(group) === null ? {} : { group: text(group) };
  const target = ['path', 'text', 'command'].includes(text(rule_target)) ? (rule_target as TargetKind) : null;
  const schema = input_schema;
  return [{ name: text(name), version: text(version), class: toolClass, ...groupField, egress: egress === true, target, schema }];
}

export function isClass(value: Json | undefined): value is ToolClass {
  return (TOOL_CLASSES as readonly unknown[]).includes(value);
}
