/** Checks and compiles an agent's rules once: every fault is found before a model calls anything. */
import { isJsonObject, unknownFields } from '../shared/json/json';
import { allowsCommand, forbidsCommand, allowsPath, forbidsPath } from './targets';
import { faultsFor, names, parseRule, specificity, type Rule } from './rule';
import { allowsText, forbidsText } from './text-pattern';
import type { ApprovalLists } from './approval-entries';
import { EFFECTS, MODES, type AgentPermissions, type Mode, type RuledTool } from './types';

/** A rule, compiled for one tool that it names. */
export interface ToolRule {
  rule: Rule;
  specificity: number[];
  /** Whether one target fits the pattern; null: the rule has no pattern, or the tool no targets. */
  matches: ((target: string) => boolean) | null;
}

export interface Policy {
  mode: Mode;
  /** Modes of the parent turns of a sub-agent's turn, which apply too. Absent: none. */
  within?: readonly Mode[];
  /** Lists of approval rules, which decide in place of mode and class. Absent: none. */
  approvals?: ApprovalLists;
  /** The rules that name a tool. */
  rulesOf(tool: RuledTool): ToolRule[];
}

const MATCHERS = {
  path: { allow: allowsPath, ask: forbidsPath, deny: forbidsPath },
  text: { allow: allowsText, ask: forbidsText, deny: forbidsText },
  command: { allow: allowsCommand, ask: forbidsCommand, deny: forbidsCommand },
} as const;

export function withDefaults(permissions: Partial<AgentPermissions> | undefined): AgentPermissions {
  return { mode: 'default', allow: [], ask: [], deny: [], ...permissions };
}

/**
 * Every fault of an agent's permissions, in words; empty: they can be compiled.
 * @param later whether a rule's name can only mean tools that are not known yet
 */
export function permissionFaults(
  permissions: AgentPermissions,
  tools: readonly RuledTool[],
  later: (name: string) => boolean = () => false,
): string[] {
  const faults = shapeFaults(permissions);
  if (faults.length > 0) return faults;
  return EFFECTS.flatMap((effect) =>
    permissions[effect].flatMap((entry) => {
      const result = parseRule(effect, entry);
      if (result.ok && later(result.rule.name)) return [];
      return result.ok ? [...faultsFor(result.rule, tools), ...fieldFaults(result.rule, tools)] : [result.fault];
    }),
  );
}

/** Faults of the object itself, independent of the tools. */
export function shapeFaults(permissions: Partial<Record<keyof AgentPermissions, unknown>>): string[] {
  const lists = EFFECTS.filter((effect) => permissions[effect] !== undefined && !Array.isArray(permissions[effect]));
  const { mode } = permissions;
  return [
    ...unknownFields(permissions, ['mode', ...EFFECTS], 'permissions'),
    ...lists.map((effect) => `permissions.${effect} must be a list of rules`),
    ...(mode === undefined || MODES.some((name) => name === mode)
      ? []
      : [`permissions.mode is ${JSON.stringify(mode)}; it must be one of ${MODES.join(', ')}`]),
  ];
}

/** Compiles rules for calls of any tool; a rule that cannot be parsed is left out. */
export function compileRules(permissions: AgentPermissions): Policy {
  const rules = EFFECTS.flatMap((effect) => permissions[effect].map((entry) => parseRule(effect, entry))).flatMap((result) =>
    result.ok ? [result.rule] : [],
  );
  const ready = new WeakMap<RuledTool, ToolRule[]>();
  return {
    mode: permissions.mode,
    rulesOf(tool) {
      const toolRules = ready.get(tool) ?? prepare(rules, tool);
      ready.set(tool, toolRules);
      return toolRules;
    },
  };
}

function prepare(rules: Rule[], tool: RuledTool): ToolRule[] {
  return rules.filter((rule) => names(rule, tool.name)).map((rule) => forTool(rule, tool));
}

function forTool(rule: Rule, { target }: RuledTool): ToolRule {
  const matches = rule.pattern === null || target === null ? null : MATCHERS[target][rule.effect](rule.pattern);
  return { rule, matches, specificity: specificity(rule, target) };
}

/** A field that none of the named tools has is a typo, and would make the rule useless. */
function fieldFaults(rule: Rule, tools: readonly RuledTool[]): string[] {
  if (!rule.condition || rule.name === '*') return [];
  const matchingTools = tools.filter((tool) => names(rule, tool.name));
  const schemas = matchingTools.map((tool) => tool.schema);
  if (schemas.length === 0 || schemas.some((schema) => schema.additionalProperties !== false)) return [];
  return rule.condition.inputFields
    .filter((field) => !schemas.some((schema) => isJsonObject(schema.properties) && Object.hasOwn(schema.properties, field)))
    .map((field) => `${rule.effect}: ${JSON.stringify(rule.text)}: the input has no field ${field}`);
}
