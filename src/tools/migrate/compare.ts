/**
 * Compares two versions of a tool: what changed, whether it breaks callers (a narrower input) or readers of results (a wider
 * output), whether it changes who approves, and which semantic version step it requires.
 */
import { sameJson } from './same-json';
import { CLASS_RULES, type ToolClass } from '../../shared/turn/tool-class';
import type { ToolJson } from '../convert/definition';
import type { SchemaChange, SchemaChangeKind } from './schema-changes';
import { schemaChanges } from './schema-diff';

// oxlint-disable-next-line typescript/no-require-imports -- two versions are compared without waiting
const semver = () => require('semver') as typeof import('semver');

export type Step = 'major' | 'minor' | 'patch';

export interface Change {
  part: 'input' | 'output' | 'class' | 'life_cycle' | 'behaviour' | 'words';
  kind: SchemaChangeKind | 'changed';
  /** JSON pointer: into the input or the output, else the definition's field. */
  path: string;
  what: string;
  /** A caller that uses the tool as before may fail, or may need an approval that was not needed. */
  breaking: boolean;
  /** The change affects who has to approve a call, or which rules match it. */
  approval: boolean;
  step: Step;
}

export interface Comparison {
  tool: string;
  from: string;
  to: string;
  changes: Change[];
  breaking: boolean;
  /** The version step that the changes require; null when nothing changed. */
  due: Step | null;
  /** Whether the declared versions make that step, or a larger one. */
  satisfied: boolean;
  /** As text: the step that is due, and whether the versions make it. */
  verdict: string;
}

/** @param old the definition that callers use now; `next` replaces it */
export function compareVersions(old: ToolJson, next: ToolJson): Comparison {
  const changes = [
    ...inputChanges(old, next),
    ...outputChanges(old, next),
    ...classChanges(old, next),
    ...fieldChanges(old, next),
    ...changelogChanges(old, next),
  ];
  const due = (['major', 'minor', 'patch'] as const).find((step) => changes.some((change) => change.step === step)) ?? null;
  const isSatisfied = makesStep(old.version, next.version, due);
  return {
    tool: next.name,
    from: old.version,
    to: next.version,
    changes,
    breaking: changes.some((change) => change.breaking),
    due,
    satisfied: isSatisfied,
    verdict: verdict(old.version, next.version, due, isSatisfied),
  };
}

function inputChanges(old: ToolJson, next: ToolJson): Change[] {
  return schemaChanges(old.parameters, next.parameters).map((change) => schemaChange('input', change, change.narrowed));
}

function outputChanges(old: ToolJson, next: ToolJson): Change[] {
  if (old.output === undefined && next.output === undefined) return [];
  return schemaChanges(old.output ?? {}, next.output ?? {}).map((change) => schemaChange('output', change, change.widened));
}

function schemaChange(
  part: 'input' | 'output',
  { kind, path, what, narrowed, widened }: SchemaChange,
  breaking: boolean,
): Change {
  const words = kind === 'description';
  const step = breaking
    ? 'major'
    : words || (!narrowed && !widened && kind !== 'default' && kind !== 'newly_required')
      ? 'patch'
      : 'minor';
  return { part, kind, path, what, breaking, approval: false, step };
}

const ASKS = ['never', 'by_rule', 'always'];

function classChanges(old: ToolJson, next: ToolJson): Change[] {
  if (old.class === next.class) return [];
  const asks = (name: ToolClass) => ASKS.indexOf(CLASS_RULES[name].approval);
  const stricter = asks(next.class) > asks(old.class);
  const what = `class ${old.class} → ${next.class}: approval ${CLASS_RULES[old.class].approval} → ${CLASS_RULES[next.class].approval}`;
  const looser = asks(next.class) < asks(old.class);
  const warning = looser ? '; what asked a person may now run by itself' : '';
  return [
    {
      part: 'class',
      kind: 'changed',
      path: '/class',
      what: what + warning,
      // Compute and read are the same for callers; any other change of class changes what a call may do.
      breaking: stricter || isEffect(old.class) !== isEffect(next.class),
      approval: asks(old.class) !== asks(next.class) || isEffect(old.class) !== isEffect(next.class),
      step: stricter || isEffect(old.class) !== isEffect(next.class) ? 'major' : 'minor',
    },
  ];
}

function isEffect(name: ToolClass): boolean {
  return name !== 'compute' && name !== 'read';
}

type Field = keyof ToolJson;
type Rule = { part: Change['part']; step: Step; approval?: boolean; breaks?(old: ToolJson, next: ToolJson): boolean };

/** The consequence of a change of each field. Fields that are absent here are compared elsewhere. */
const FIELDS: Partial<Record<Field, Rule>> = {
  name: { part: 'life_cycle', step: 'major', approval: true, breaks: () => true },
  description: { part: 'words', step: 'patch' },
  group: { part: 'behaviour', step: 'patch' },
  egress: { part: 'behaviour', step: 'minor', approval: true },
  untrusted_output: { part: 'behaviour', step: 'minor', approval: true },
  idempotent: { part: 'behaviour', step: 'minor' },
  cache_ttl: { part: 'behaviour', step: 'patch' },
  cache_key_params: { part: 'behaviour', step: 'patch' },
  streaming: { part: 'behaviour', step: 'minor' },
  estimated_tokens: { part: 'behaviour', step: 'patch' },
  limits: { part: 'behaviour', step: 'patch' },
  timeout_ms: { part: 'behaviour', step: 'patch' },
  max_inline_bytes: { part: 'behaviour', step: 'patch' },
  errors: { part: 'words', step: 'patch' },
  internal_only: { part: 'life_cycle', step: 'minor', breaks: (_old, next) => next.internal_only },
  environments: { part: 'life_cycle', step: 'minor', breaks: leavesEnvironments },
  deprecated: { part: 'life_cycle', step: 'minor' },
  sunset_date: { part: 'life_cycle', step: 'minor' },
  replacement: { part: 'life_cycle', step: 'patch' },
  migration_guide: { part: 'life_cycle', step: 'patch' },
};

function leavesEnvironments(old: ToolJson, next: ToolJson): boolean {
  if (next.environments === undefined) return false;
  return old.environments === undefined || old.environments.some((name) => !next.environments!.includes(name));
}

function fieldChanges(old: ToolJson, next: ToolJson): Change[] {
  return Object.entries(FIELDS).flatMap(([field, rule]) => {
    const before = old[field as Field];
    const after = next[field as Field];
    if (sameJson(before, after)) return [];
    const breaking = rule.breaks?.(old, next) ?? false;
    const what = field === 'description' ? 'described anew' : `${field} ${show(before)} → ${show(after)}`;
    const step = breaking ? 'major' : rule.step;
    return [
      { part: rule.part, kind: 'changed' as const, path: `/${field}`, what, breaking, approval: rule.approval ?? false, step },
    ];
  });
}

/** Notes about released versions must not change. A note about the new version is expected, and counts as no change. */
function changelogChanges(old: ToolJson, next: ToolJson): Change[] {
  const rewritten = Object.entries(old.changelog ?? {}).filter(([version, text]) => next.changelog?.[version] !== text);
  return rewritten.map(([version]) => ({
    part: 'words',
    kind: 'changed',
    path: `/changelog/${version}`,
    what: `the note about ${version} was changed or dropped`,
    breaking: false,
    approval: false,
    step: 'patch',
  }));
}

/** Semantic versioning 2.0.0; below 1.0.0 a minor step may break (item 4). */
function makesStep(from: string, to: string, due: Step | null): boolean {
  const old = semver().parse(from);
  const next = semver().parse(to);
  if (!old || !next) return false;
  if (due === null) return semver().gte(next, old);
  if (!semver().gt(next, old)) return false;
  const major = next.major > old.major;
  const minor = major || (next.major === old.major && next.minor > old.minor);
  if (due === 'major') return major || (old.major === 0 && minor);
  return due === 'minor' ? minor : true;
}

function verdict(from: string, to: string, due: Step | null, isSatisfied: boolean): string {
  if (due === null) return isSatisfied ? 'nothing changed' : `nothing changed, but ${to} is older than ${from}`;
  if (isSatisfied) return `a ${due} step is due, and ${from} → ${to} makes it`;
  return `a ${due} step is due, which ${from} → ${to} is not: make it ${semver().inc(from, due) ?? 'a valid version'} or later`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none';
  return text.length <= 100 ? text : `${text.slice(0, 99).toWellFormed()}…`;
}
