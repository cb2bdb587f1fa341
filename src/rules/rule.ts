/** Parses one permission rule, checks it against the tools, and computes how specific it is. */
import { unknownFields } from '../shared/json/json';
import { compileCondition } from './conditions/compile';
import type { Condition } from './conditions/condition';
import { pathPatternFault } from './targets';
import type { RuleEffect, RuleEntry, RuledTool, RuleFiles, TargetKind } from './types';
import { matchesWildcard } from './text-pattern';

export interface Rule {
  effect: RuleEffect;
  /** As it was written, with its condition. */
  text: string;
  /** A tool's name, or a glob over names. */
  name: string;
  pattern: string | null;
  condition: Condition | null;
  why: string | null;
  files: RuleFiles | null;
}

const NAME = /^[a-zA-Z_*][a-zA-Z0-9_*-]{0,63}$/;
const LONGEST_PATTERN = 300;
const LONGEST_WHY = 300;
const MOST_FILES = 50;
const FIELDS: readonly string[] = ['rule', 'when', 'why', 'files'];
/** From the root, without `.`, `..` or an empty name. */
const FILE = /^(?:\/(?!\.{1,2}(?:\/|$))[^/\0]{1,255}){1,64}$/;

export type ParsedRule = { ok: true; rule: Rule } | { ok: false; fault: string };

/** Parses one entry of `allow`, `ask` or `deny`; a fault says what to write instead. */
export function parseRule(effect: RuleEffect, entry: RuleEntry): ParsedRule {
  const fault = (text: string): ParsedRule => ({ ok: false, fault: `${effect}: ${text}` });
  if (typeof entry !== 'string' && (typeof entry !== 'object' || entry === null || typeof entry.rule !== 'string'))
    return fault(`${JSON.stringify(entry)} is neither a rule's text nor {rule, when, why}`);
  const { rule, when, why, files } = typeof entry === 'string' ? { rule: entry } : entry;
  const unknown = unknownFields(entry, FIELDS);
  if (unknown.length > 0) return fault(`${JSON.stringify(rule)}: ${unknown.join('; ')}`);

  const open = rule.indexOf('(');
  const name = open === -1 ? rule : rule.slice(0, open);
  const pattern = open === -1 ? null : rule.slice(open + 1, -1);
  if (!NAME.test(name) || (open !== -1 && !rule.endsWith(')')))
    return fault(`${JSON.stringify(rule)} must be a tool's name, with * for any characters, and then perhaps (pattern)`);
  if (pattern !== null && (pattern === '' || pattern.length > LONGEST_PATTERN))
    return fault(`${JSON.stringify(rule)} has a pattern of ${pattern.length} characters; it may have 1 to ${LONGEST_PATTERN}`);
  if (why !== undefined && (typeof why !== 'string' || why.length > LONGEST_WHY))
    return fault(`why of ${JSON.stringify(rule)} must be a text of at most ${LONGEST_WHY} characters`);
  const filesFault = files === undefined ? null : faultOfFiles(effect, pattern !== null || when !== undefined, files);
  if (filesFault !== null) return fault(`files of ${JSON.stringify(rule)}: ${filesFault}`);

  const condition = when === undefined ? null : compileCondition(when);
  if (condition !== null && !condition.ok) return fault(`when of ${JSON.stringify(rule)}: ${condition.fault}`);
  const text = when === undefined ? rule : `${rule} when ${when}`;
  return {
    ok: true,
    rule: { effect, text, name, pattern, condition: condition?.condition ?? null, why: why ?? null, files: files ?? null },
  };
}

function faultOfFiles(effect: RuleEffect, isNarrow: boolean, files: RuleFiles): string | null {
  if (effect !== 'allow') return 'only an allow rule has them: ask and deny hold whatever lies there';
  if (!isNarrow) return 'they go with a pattern or a condition, which says what command reads them';
  if (files === 'any') return null;
  const entries = typeof files === 'object' && files !== null ? Object.entries(files) : [];
  if (entries.length === 0 || entries.length > MOST_FILES) return `give 1 to ${MOST_FILES} of them, or any`;
  const bad = entries.find(([path, hash]) => !FILE.test(path) || typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash));
  return bad
    ? `${JSON.stringify(bad)} must be a path from the root, such as /package.json, and a SHA-256 in 64 hex digits`
    : null;
}

/** Faults of a rule for the tools that it names; empty: none. */
export function faultsFor(rule: Rule, tools: readonly RuledTool[]): string[] {
  const matchingTools = tools.filter((tool) => names(rule, tool.name));
  if (isExact(rule) && matchingTools.length === 0)
    return [`permissions name ${JSON.stringify(rule.name)}, which is none of the agent's tools`];
  if (rule.pattern === null) return [];
  const without = matchingTools.filter((tool) => tool.target === null).map((tool) => tool.name);
  const faults = without.map(
    (name) => `${rule.effect}: ${JSON.stringify(rule.text)} has a pattern, but ${name} declares no ruleTarget to match it with`,
  );
  if (rule.files !== null && matchingTools.some((tool) => tool.target !== 'command'))
    faults.push(`${rule.effect}: ${JSON.stringify(rule.text)} has files, which are for tools that run commands`);
  const asPath = matchingTools.some((tool) => tool.target === 'path') ? pathPatternFault(rule.pattern) : null;
  return asPath === null ? faults : [...faults, `${rule.effect}: ${JSON.stringify(rule.text)}: ${asPath}`];
}

/** Whether the rule's name fits the tool's: exactly, or as a glob. */
export function names(rule: Pick<Rule, 'name'>, tool: string): boolean {
  return matchesWildcard(rule.name, tool);
}

export function isExact(rule: Pick<Rule, 'name'>): boolean {
  return !rule.name.includes('*');
}

const PATH_SPECIAL = /[*?[{]/;

/**
 * How specific a rule is, compared from the left: exact name, name glob, `*`; with a condition or without; literal pattern, glob,
 * none; characters of the pattern, then of the name, without `*`.
 */
export function specificity(rule: Rule, kind: TargetKind | null): number[] {
  const { pattern } = rule;
  const glob = pattern !== null && (kind === 'path' ? PATH_SPECIAL.test(pattern) : pattern.includes('*'));
  return [
    isExact(rule) ? 2 : rule.name === '*' ? 0 : 1,
    rule.condition === null ? 0 : 1,
    pattern === null ? 0 : glob ? 1 : 2,
    pattern === null ? 0 : pattern.replaceAll('*', '').length,
    rule.name.replaceAll('*', '').length,
  ];
}

/** Positive when `a` is the more specific. */
export function compareSpecificity(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index === -1 ? 0 : a[index]! - b[index]!;
}
