/** What a bundle has of an agent: its rules, and its tools as rules see them. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json';
import type { OuterMode } from '../../shared/sub-turn';
import { TOOL_CLASSES, type ToolClass } from '../../shared/tool-class';
import { shapeFaults, type AgentPermissions, type Mode, type RuledTool, type TargetKind } from '../../rules';
import { list, object, text, textOrNull } from '../case-file/loose';
import type { CaseFile, TurnCase } from '../case-file/types';

/** More than any agent has: a bundle may be made by anybody. */
const MOST_RULES = 10_000;

/** The rules of a `policy_ref`. Null: the bundle does not have them. */
export function recordedRules(objects: CaseFile['objects'], ref: string | null): AgentPermissions | null {
  const policy = object(objects.get(ref ?? ''));
  const own = policy.v === 'holdfast.policy_within/1' ? object(objects.get(text(policy.policy_ref))) : policy;
  if (own.v !== 'holdfast.policy/1' || !isJsonObject(own.permissions)) return null;
  const { allow, ask, deny } = own.permissions;
  const rules = { mode: own.mode ?? 'default', allow, ask, deny } as unknown as AgentPermissions;
  if (![allow, ask, deny].every(Array.isArray) || shapeFaults(rules).length > 0) return null;
  return rules.allow.length + rules.ask.length + rules.deny.length > MOST_RULES ? null : rules;
}

/** Modes of turns above that bound this one. */
export function recordedWithin({ transcript }: TurnCase): OuterMode[] {
  const start = transcript.find(({ own, kind }) => own && kind === 'start');
  const modes = list(object(object(start?.bodies[0]).parent).within);
  return modes.filter((mode): mode is OuterMode => mode === 'plan' || mode === 'locked');
}

/** An agent's definition, as far as rules look at it. */
export interface RecordedAgent {
  tools: RuledTool[];
  servers: string[];
  /** It has a classifier, which decides in mode `auto`. */
  classifies: boolean;
}

/** Null: the bundle does not have it. */
export function recordedAgent(objects: CaseFile['objects'], ref: string | null): RecordedAgent | null {
  const definition = object(objects.get(ref ?? ''));
  if (definition.v !== 'holdfast.agent/1') return null;
  const tools = list(definition.tools).flatMap((tool) => ruledTool(object(tool)));
  return { tools, servers: list(definition.mcp_servers).map(text), classifies: definition.classifier !== null };
}

function ruledTool({ name, version, class: toolClass, group, egress, rule_target, input_schema }: JsonObject): RuledTool[] {
  if (!isClass(toolClass) || !isJsonObject(input_schema)) return [];
  const grouped = textOrNull(group) === null ? {} : { group: text(group) };
  const target = ['path', 'text', 'command'].includes(text(rule_target)) ? (rule_target as TargetKind) : null;
  const schema = input_schema;
  return [{ name: text(name), version: text(version), class: toolClass, ...grouped, egress: egress === true, target, schema }];
}

export function isClass(value: Json | undefined): value is ToolClass {
  return (TOOL_CLASSES as readonly unknown[]).includes(value);
}

/** Modes that bind sub-agents too. */
export function outer(mode: Mode): OuterMode[] {
  return mode === 'plan' || mode === 'locked' ? [mode] : [];
}
