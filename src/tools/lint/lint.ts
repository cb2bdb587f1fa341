/** Lints a valid tool definition: finds what makes a model choose the tool wrongly or give it a wrong input. Never an error. */
import type { Json, JsonObject } from '../../shared/json/json';
import { describe } from '../define/model-text';
import { writtenInput } from '../schema/schema';
import { subschemas } from '../schema/subschemas';
import type { DescriptionParts, Tool } from '../define/tool';

export interface LintFinding {
  tool: string;
  /** JSON pointer into the definition: `/name`, `/description/returns`, `/input/properties/ticker`. */
  path: string;
  /** Name of the rule, snake_case. */
  rule: string;
  /** `fault`: a model chooses the tool wrongly, or not at all. `advice`: it would do better with more. */
  level: 'fault' | 'advice';
  message: string;
  fix: string;
}

type Finding = Omit<LintFinding, 'tool' | 'level'>;

/** The rules whose findings are `advice`; all others are `fault`. */
const ADVICE = new Set([
  'description_without_parts',
  'property_without_description',
  'text_without_limits',
  'number_without_limits',
  'list_without_limit',
]);

/** Shortest description in characters, longest in words. Source: the tool specification's advice. */
const SHORTEST_DESCRIPTION = 100;
const LONGEST_DESCRIPTION = 300;
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** Words that fit any tool. A name that consists only of these words says nothing. */
const EMPTY_WORDS = new Set(
  (
    'a action api call command data do exec execute fetch foo fn func function get handle handler helper info it item job main manage ' +
    'misc my new object op operation perform process request result run service set stuff task temp test the thing things tool tools use util utils value work'
  ).split(' '),
);
const WANTED_PARTS = {
  returns: 'what the result holds, with units',
  useWhen: 'in which situations the model should call it',
  dontUseFor: 'what it is not for, and which tool is',
  example: 'one input, as JSON',
} as const;

/** All findings for one tool, in the order of the definition. */
export function lintTool(tool: Tool): LintFinding[] {
  const findings = [...nameFindings(tool), ...descriptionFindings(tool), ...inputFindings(tool), ...lifecycleFindings(tool)];
  return findings.map((finding) => ({ tool: tool.name, level: ADVICE.has(finding.rule) ? 'advice' : 'fault', ...finding }));
}

function nameFindings({ name }: Tool): Finding[] {
  const findings: Finding[] = [];
  const fix = 'Name it after what it does to what: search_filings, send_credit_memo.';
  if (!SNAKE_CASE.test(name)) {
    findings.push({ path: '/name', rule: 'name_not_snake_case', message: `${name} is not snake_case`, fix });
  }
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]+/)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '');
  if (words.every((word) => EMPTY_WORDS.has(word))) {
    findings.push({ path: '/name', rule: 'name_says_nothing', message: `${name} could be the name of any tool`, fix });
  }
  return findings;
}

function descriptionFindings(tool: Tool): Finding[] {
  const text = describe(tool);
  const words = text.split(/\s+/).length;
  const findings: Finding[] = [];
  const finding = (path: string, rule: string, message: string, fix: string) => findings.push({ path, rule, message, fix });
  if (text.length < SHORTEST_DESCRIPTION) {
    const message = `the description has ${text.length} characters`;
    finding('/description', 'description_too_short', message, `Write at least ${SHORTEST_DESCRIPTION}, as for a newcomer.`);
  }
  if (words > LONGEST_DESCRIPTION) {
    const fix = `Keep to ${LONGEST_DESCRIPTION}; put what concerns one field into that field's description.`;
    finding('/description', 'description_too_long', `the description has ${words} words`, fix);
  }
  if (typeof tool.description === 'string') {
    const fix = `Write it as {does, ${Object.keys(WANTED_PARTS).join(', ')}, warning}.`;
    finding('/description', 'description_without_parts', 'the description is one text', fix);
    return findings;
  }
  const parts: DescriptionParts = tool.description;
  for (const [part, what] of Object.entries(WANTED_PARTS)) {
    if (parts[part as keyof typeof WANTED_PARTS]) continue;
    finding(`/description/${part}`, 'description_part_missing', `${part} is missing`, `Say ${what}.`);
  }
  if (tool.class === 'destructive' && !parts.warning) {
    const fix = 'Say what cannot be undone, and what to do when it is denied.';
    finding('/description/warning', 'description_part_missing', 'a destructive tool has no warning', fix);
  }
  return findings;
}

function inputFindings(tool: Tool): Finding[] {
  const schema = writtenInput(tool.input as JsonObject);
  const findings = ['anyOf', 'oneOf', 'allOf'].filter((keyword) => Object.hasOwn(schema, keyword)).map(combinationFinding);
  visit(schema, '/input', findings);
  return findings;
}

function combinationFinding(keyword: string): Finding {
  return {
    path: `/input/${keyword}`,
    rule: 'input_combined_at_top',
    message: `the input is a ${keyword}, which some model APIs refuse at the top`,
    fix: 'Make it one object, with a field that says which case it is; or make it several tools.',
  };
}

function visit(schema: JsonObject, path: string, findings: Finding[]): void {
  for (const below of subschemas(schema)) {
    const at = path + below.path;
    if (!DESCRIBES_NO_VALUE.has(below.keyword)) findings.push(...valueFindings(below.schema, at, below.keyword));
    if (below.keyword !== 'not') visit(below.schema, at, findings);
  }
}

/** Keywords whose schema is a condition, and describes no value. Schemas in `$defs` are linted like all others. */
const DESCRIBES_NO_VALUE = new Set(['if', 'not', 'propertyNames', 'dependentSchemas', 'dependencies']);

function valueFindings(schema: JsonObject, path: string, keyword: string): Finding[] {
  const findings: Finding[] = [];
  const lacks = (...keywords: string[]) => !keywords.some((name) => Object.hasOwn(schema, name));
  const is = (type: string) => schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type));
  const finding = (rule: string, message: string, fix: string) => findings.push({ path, rule, message, fix });
  const isFixed = !lacks('enum', 'const', '$ref');
  if (keyword === 'properties' && lacks('description', '$ref')) {
    finding('property_without_description', 'the property has no description', 'Say what it means, with unit and format.');
  }
  if (is('string') && !isFixed && lacks('pattern', 'format', 'maxLength')) {
    finding('text_without_limits', 'any text is allowed', 'Give it an enum, a pattern, a format or a maxLength.');
  }
  if ((is('number') || is('integer')) && !isFixed && !(hasLimit(schema, 'inimum', -1) && hasLimit(schema, 'aximum', 1))) {
    finding('number_without_limits', 'the number has no lower or no upper limit', 'Give it a minimum and a maximum.');
  }
  if (is('array') && !isFixed && lacks('maxItems')) {
    finding('list_without_limit', 'the list may be of any length', 'Give it maxItems.');
  }
  return findings;
}

/** True for a limit that the author chose. ±MAX_SAFE_INTEGER does not count: zod adds it to every integer. */
function hasLimit(schema: JsonObject, side: 'inimum' | 'aximum', sign: 1 | -1): boolean {
  const limits: (Json | undefined)[] = [schema[`m${side}`], schema[`exclusiveM${side}`]];
  return limits.some((limit) => typeof limit === 'number' && limit !== sign * Number.MAX_SAFE_INTEGER);
}

function lifecycleFindings(tool: Tool): Finding[] {
  const findings: Finding[] = [];
  if (tool.deprecated && tool.sunsetDate === undefined) {
    const message = 'a deprecated tool has no sunset date';
    findings.push({
      path: '/sunsetDate',
      rule: 'deprecated_without_date',
      message,
      fix: 'Say from which day on calls are refused.',
    });
  }
  if (tool.deprecated && tool.replacement === undefined && tool.migrationGuide === undefined) {
    const message = 'a deprecated tool names neither replacement nor migrationGuide';
    const fix = 'Say what to use instead.';
    findings.push({ path: '/replacement', rule: 'deprecated_without_replacement', message, fix });
  }
  return findings;
}
