/**
 * Converts tool definitions to and from the Model Context Protocol. Annotations are untrusted hints of a server (the MCP
 * specification says so): they give a suggestion to a person, but never a tool's class.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { ToolClass } from '../../shared/turn/tool-class';
import { ConversionError, type Conversion, type Loss } from './conversion';
import type { ToolJson } from './definition';
import { foreignSchema } from './foreign-schema';
import { importDefinition, lossesOfUnknownFields, objectOf, type ImportOptions } from './imported-tools';
import { lossesOfUnsupportedFields } from './lossy-fields';
import { DEFINITION_BOUNDS, plainJson } from './plain-json';
import { mapSchema } from './schema-tree';
import { optional } from '../../shared/json/optional';

export interface McpAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A schema as MCP requires it: the root has type object, and the schema of every property is an object. */
export interface McpSchema {
  type: 'object';
  properties?: Record<string, object>;
  required?: string[];
  [keyword: string]: unknown;
}

export interface McpTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: McpSchema;
  outputSchema?: McpSchema;
  annotations: McpAnnotations;
  /** The fields that MCP does not have, under our own key. */
  _meta?: { [META]: JsonObject };
}

export const META = 'holdfast/definition';

const NATIVE_FIELDS: (keyof ToolJson)[] = [
  'name',
  'description',
  'description_parts',
  'parameters',
  'strict',
  'output',
  'class',
  'idempotent',
];
/** Fields that are read from a server's `_meta`, besides the version. None of them changes who approves, or what is retried. */
const HARMLESS = ['changelog', 'group', 'deprecated', 'sunset_date', 'replacement', 'migration_guide'] as const;

/** Each class as MCP annotations. */
const HINTS: Record<ToolClass, McpAnnotations> = {
  compute: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  write: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  agent: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

/** Converts a tool to the form that our MCP server lists. */
export function toMcp(definition: ToolJson): Conversion<McpTool> {
  const losses: Loss[] = [];
  const rest = Object.fromEntries(
    lossesOfUnsupportedFields(definition, NATIVE_FIELDS, 'MCP').map(({ path }) => [
      path.slice(1),
      definition[path.slice(1) as keyof ToolJson],
    ]),
  ) as JsonObject;
  const outputSchema = definition.output && mcpOutput(definition.output, losses);
  const hints = HINTS[definition.class];
  const value: McpTool = {
    name: definition.name,
    description: definition.description,
    inputSchema: objectsOnly(definition.parameters),
    ...(outputSchema ? { outputSchema } : {}),
    annotations: {
      ...hints,
      idempotentHint: hints.idempotentHint === true || definition.idempotent,
      openWorldHint: hints.openWorldHint === true || definition.egress,
    },
    _meta: { [META]: { ...rest, class: definition.class } },
  };
  return { value, losses };
}

/** Replaces boolean schemas of properties: MCP allows only objects there. */
function objectsOnly(schema: JsonObject): McpSchema {
  const asObject = (each: Json): Json => (each === true ? {} : each === false ? { not: {} } : each);
  return mapSchema(schema, (each) => {
    if (!isJsonObject(each.properties)) return each;
    const properties = Object.entries(each.properties).map(([name, value]) => [name, asObject(value)]);
    return { ...each, properties: Object.fromEntries(properties) as JsonObject };
  }) as unknown as McpSchema;
}

function mcpOutput(output: JsonObject, losses: Loss[]): McpSchema | undefined {
  if (output.type === 'object') return objectsOnly(output);
  losses.push({ path: '/output', what: "MCP's structured results are objects; this tool's are not, so they go as text only" });
  return undefined;
}

const KNOWN_FIELDS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta'];

export interface McpImport extends Conversion<ToolJson> {
  /** The class that the server's hints suggest. It is only shown to the person who accepts a class. */
  suggested: ToolClass;
}

/**
 * Converts a tool that an MCP server lists. Its class is `options.accepted`, else destructive; hints do not change it.
 * @throws ConversionError for an unusable definition
 */
export function fromMcp(tool: unknown, options: ImportOptions = {}): McpImport {
  const json = objectOf(plainJson(tool, DEFINITION_BOUNDS, 'The tool'), 'The tool');
  const meta = isJsonObject(json._meta) && isJsonObject(json._meta[META]) ? json._meta[META] : {};
  const version = options.version ?? (typeof meta.version === 'string' && SEMVER.test(meta.version) ? meta.version : undefined);
  const { value, losses } = importDefinition(
    {
      side: 'MCP',
      name: json.name,
      description: json.description ?? json.title,
      parameters: json.inputSchema,
      parametersAt: '/inputSchema',
    },
    { ...options, ...optional({ version }) },
  );
  for (const field of HARMLESS) if (FIELD_CHECKS[field](meta[field])) Object.assign(value, { [field]: meta[field] });
  if (!value.deprecated) delete value.sunset_date;
  if (json.outputSchema !== undefined) {
    const faults: string[] = [];
    value.output = foreignSchema(json.outputSchema, '/outputSchema', faults, losses);
    if (faults.length > 0) throw new ConversionError(`The MCP tool ${value.name} cannot be taken:\n- ${faults.join('\n- ')}`);
  }
  const hints = isJsonObject(json.annotations) ? json.annotations : {};
  return {
    value,
    losses: [...losses, ...lossesOfUnknownFields(json, KNOWN_FIELDS, 'MCP'), ...annotationLosses(hints)],
    suggested: suggestedClass(hints),
  };
}

const SEMVER = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;
const SHORT = 2000;

const isText = (value: unknown) => typeof value === 'string' && value.length <= SHORT;

const FIELD_CHECKS: Record<(typeof HARMLESS)[number], (value: unknown) => boolean> = {
  changelog: (value) => isJsonObject(value) && Object.entries(value).every(([key, text]) => SEMVER.test(key) && isText(text)),
  group: (value) => typeof value === 'string' && /^[a-z][a-z0-9_-]{0,63}$/.test(value),
  deprecated: (value) => value === true,
  sunset_date: (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  replacement: (value) => typeof value === 'string' && /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(value),
  migration_guide: isText,
};

/** Applies MCP's defaults: a tool without hints is destructive. */
function suggestedClass(hints: JsonObject): ToolClass {
  if (hints.readOnlyHint === true) return 'read';
  return hints.destructiveHint === false ? 'write' : 'destructive';
}

function annotationLosses(hints: JsonObject): Loss[] {
  return Object.entries(hints).map(([hint, value]) => ({
    path: `/annotations/${hint}`,
    what: `a server's hint (${JSON.stringify(value).slice(0, 60)}) decides nothing; it is shown to the person who accepts a class`,
  }));
}
