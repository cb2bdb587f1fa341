/** Builds a tool card: the facts that a person needs before they rely on a tool. markdown.ts and html.ts render it. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { CLASS_RULES, type ToolClass } from '../../shared/turn/tool-class';
import { toolDefinition, type ToolJson } from '../convert/definition';
import { resolveRef } from '../convert/schema-tree';
import { estimateTokens } from '../define/model-text';
import type { Tool } from '../define/tool';

export interface CardInput {
  /** Such as `place.lat` or `tags[]`. */
  name: string;
  type: string;
  required: boolean;
  /** Every limit of the schema, as text. */
  limits: string[];
  default: string | null;
  description: string;
}

export interface Card {
  name: string;
  version: string;
  class: ToolClass;
  group: string | null;
  /** One paragraph for each part: what, returns, use when, not for. */
  says: { label: string; text: string }[];
  /** What the class means for people who use the tool. */
  means: string[];
  inputs: CardInput[];
  errors: { code: string; reason: string; when: string }[];
  example: string | null;
  caution: string[];
  changelog: { version: string; what: string }[];
  /** Tokens that the definition costs in every request. */
  definitionTokens: number;
  /** Tokens of one call, as the author estimated them; null: no estimate. */
  callTokens: NonNullable<ToolJson['estimated_tokens']> | null;
}

export function toolCard(tool: Tool): Card {
  const definition = toolDefinition(tool);
  const parts = definition.description_parts ?? { does: definition.description };
  const says = [
    { label: 'What', text: parts.does },
    { label: 'Returns', text: parts.returns },
    { label: 'Use when', text: parts.use_when },
    { label: "Don't use for", text: parts.dont_use_for },
  ];
  return {
    name: definition.name,
    version: definition.version,
    class: definition.class,
    group: definition.group ?? null,
    says: says.filter((each): each is { label: string; text: string } => each.text !== undefined),
    means: meaning(definition, tool),
    inputs: inputsOf(definition.parameters),
    errors: definition.errors ?? [],
    example: parts.example ?? null,
    caution: caution(definition, parts.warning),
    changelog: Object.entries(definition.changelog ?? {}).map(([version, what]) => ({ version, what })),
    definitionTokens: definitionTokens(definition),
    callTokens: definition.estimated_tokens ?? null,
  };
}

/** Estimated tokens of a tool's definition, which every model request contains. */
export function definitionTokens({ name, description, parameters }: ToolJson): number {
  return estimateTokens(`${name}\n${description}`, 'text') + estimateTokens(JSON.stringify(parameters), 'json');
}

const APPROVAL = {
  never: 'Runs without asking.',
  by_rule: 'Runs without asking, unless a rule asks.',
  always: 'A person approves every call, unless a rule that names the tool allows it.',
};

function meaning(definition: ToolJson, tool: Tool): string[] {
  const rules = CLASS_RULES[definition.class];
  const retries = Object.entries(rules.retries).map(([code, count]) => `${code} ${count}`);
  const after = retries.length > 0 ? `Retried after ${retries.join(', ')}.` : 'Never repeated by itself.';
  return [
    APPROVAL[rules.approval],
    definition.class === 'destructive' && definition.idempotent
      ? 'The upstream honours the idempotency key, so it is retried.'
      : after,
    definition.cache_ttl === undefined ? 'Not cached.' : `A result is served again for ${definition.cache_ttl} s.`,
    `Ends after ${(definition.timeout_ms ?? rules.timeoutMs) / 1000} s at most.`,
    ...(definition.limits?.concurrency ? [`At most ${definition.limits.concurrency} at once.`] : []),
    ...(definition.limits?.rate ? [`At most ${definition.limits.rate.calls} in ${definition.limits.rate.per_ms / 1000} s.`] : []),
    ...(definition.streaming ? ['Reports progress.'] : []),
    ...(tool.preview ? ['The approver sees a preview of what will happen.'] : []),
  ];
}

function caution(definition: ToolJson, warning: string | undefined): string[] {
  const { deprecated, sunset_date, replacement, migration_guide } = definition;
  const instead = replacement === undefined ? '' : ` Use ${replacement} instead.`;
  const until = sunset_date === undefined ? '' : ` Refused from ${sunset_date} on.`;
  return [
    ...(deprecated ? [`Deprecated.${until}${instead}${migration_guide === undefined ? '' : ` ${migration_guide}`}`] : []),
    ...(definition.class === 'destructive' ? ['What it does cannot be undone.'] : []),
    ...(warning === undefined ? [] : [warning]),
    ...(definition.egress ? ['It can carry data out.'] : []),
    ...(definition.untrusted_output ? ['Outsiders wrote what it returns: data, never instructions.'] : []),
    ...(definition.internal_only ? ['No model sees it: for direct calls only.'] : []),
    ...(definition.environments ? [`Only in: ${definition.environments.join(', ')}.`] : []),
  ];
}

/** Deeper fields would make the table unreadable. */
const DEPTH = 4;

function inputsOf(root: JsonObject): CardInput[] {
  const rows: CardInput[] = [];
  const visit = (schema: JsonObject, prefix: string, depth: number) => {
    const requiredNames = (schema.required ?? []) as string[];
    for (const [name, value] of Object.entries((schema.properties ?? {}) as JsonObject)) {
      add(value, prefix + name, requiredNames.includes(name), depth);
    }
  };
  const add = (value: Json, name: string, isRequired: boolean, depth: number) => {
    const schema = followRef(root, value);
    rows.push({
      name,
      type: typeOf(schema),
      required: isRequired,
      limits: limitsOf(schema),
      default: schema.default === undefined ? null : JSON.stringify(schema.default),
      description: typeof schema.description === 'string' ? schema.description : '',
    });
    if (depth >= DEPTH) return;
    if (isJsonObject(schema.properties)) visit(schema, `${name}.`, depth + 1);
    const items = isJsonObject(schema.items) ? followRef(root, schema.items) : {};
    if (isJsonObject(items.properties)) visit(items, `${name}[].`, depth + 1);
  };
  visit(root, '', 0);
  return rows;
}

function followRef(root: JsonObject, value: Json): JsonObject {
  let at: Json | undefined = value;
  for (let hops = 0; hops < 20 && isJsonObject(at) && typeof at.$ref === 'string'; hops++) {
    const { $ref, ...beside } = at;
    const target = resolveRef(root, $ref);
    at = isJsonObject(target) ? { ...target, ...beside } : undefined;
  }
  return isJsonObject(at) ? at : {};
}

function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return 'choice';
  if ('const' in schema) return 'fixed';
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (choices) return choices.map((choice) => (isJsonObject(choice) ? typeOf(choice) : 'any')).join(' or ');
  if (schema.type === 'array' && isJsonObject(schema.items)) return `list of ${typeOf(schema.items)}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : ((schema.type as string | undefined) ?? 'any');
}

const RANGES: [string, string, (low: Json | undefined, high: Json | undefined) => string][] = [
  ['minimum', 'maximum', between('')],
  ['exclusiveMinimum', 'exclusiveMaximum', between('', 'more than', 'less than')],
  ['minLength', 'maxLength', between(' characters')],
  ['minItems', 'maxItems', between(' items')],
  ['minProperties', 'maxProperties', between(' properties')],
];

function between(unit: string, from = 'from', to = 'to') {
  return (low: Json | undefined, high: Json | undefined) =>
    [...(low === undefined ? [] : [`${from} ${String(low)}`]), ...(high === undefined ? [] : [`${to} ${String(high)}`])].join(
      ' ',
    ) + unit;
}

function limitsOf(schema: JsonObject): string[] {
  const ranges = RANGES.filter(([low, high]) => low in schema || high in schema).map(([low, high, say]) =>
    say(schema[low], schema[high]),
  );
  return [
    ...(Array.isArray(schema.enum) ? [schema.enum.map((value) => JSON.stringify(value)).join(', ')] : []),
    ...('const' in schema ? [JSON.stringify(schema.const)] : []),
    ...ranges,
    ...(schema.multipleOf === undefined ? [] : [`multiple of ${String(schema.multipleOf)}`]),
    ...(typeof schema.pattern === 'string' ? [`matches ${schema.pattern}`] : []),
    ...(typeof schema.format === 'string' ? [`format ${schema.format}`] : []),
    ...(schema.uniqueItems === true ? ['all different'] : []),
  ];
}
