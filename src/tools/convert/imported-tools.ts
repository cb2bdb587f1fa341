/**
 * Imports tool definitions from other programs; every vendor's converter uses it. An imported tool is `destructive` until a
 * person accepts a lower class: otherwise a server that claims "read only" would decide about approvals.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { ToolClass } from '../../shared/turn/tool-class';
import { visible } from '../../shared/text/visible';
import { ConversionError, formatValue, type Conversion, type Loss } from './conversion';
import type { ToolJson } from './definition';
import { foreignInput } from './foreign-schema';
import { mapSchema } from './schema-tree';

export interface ImportOptions {
  /** The class that a person accepted for this tool. Default: destructive, so that every call needs approval. */
  accepted?: ToolClass;
  /** Version to give it. Default: its own (only MCP), else 0.0.0. */
  version?: string;
}

/** The fields that vendors name differently, and where the parameters are. */
export interface ForeignParts {
  side: string;
  name: Json | undefined;
  description: Json | undefined;
  parameters: Json | undefined;
  parametersAt: string;
  strict?: Json | undefined;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const DESCRIPTION = 16_000;

/** @throws ConversionError that lists every fault */
export function importDefinition(parts: ForeignParts, options: ImportOptions): Conversion<ToolJson> {
  const faults: string[] = [];
  const losses: Loss[] = [];
  const { name, side } = parts;
  if (typeof name !== 'string' || !NAME.test(name)) {
    faults.push(`/name is ${formatValue(name)}; it must match ${NAME.source}: give it another name where you import it`);
  }
  const description = readable(parts.description ?? '', '/description', faults, losses);
  if (description === '') losses.push({ path: '/description', what: 'it has none: its name stands in for it' });
  const parameters = foreignInput(parts.parameters, parts.parametersAt, faults, losses);
  if (faults.length > 0)
    throw new ConversionError(`The ${side} tool ${formatValue(name)} cannot be taken:\n- ${faults.join('\n- ')}`);

  if (options.version === undefined) losses.push({ path: '/version', what: 'not given: taken as 0.0.0' });
  if (options.accepted === undefined) {
    losses.push({ path: '/class', what: 'nobody accepted a class: taken as destructive, so that every call asks a person' });
  }
  const value: ToolJson = {
    name: name as string,
    description: description === '' ? (name as string) : description,
    parameters: withVisibleText(parameters, parts.parametersAt, losses),
    strict: parameters.additionalProperties === false,
    version: options.version ?? '0.0.0',
    class: options.accepted ?? 'destructive',
    cacheable: false,
    streaming: false,
    deprecated: false,
    egress: false,
    // Outsiders write what an imported tool returns.
    untrusted_output: true,
    idempotent: false,
    internal_only: false,
  };
  return { value, losses };
}

/** Makes invisible characters visible: they could carry instructions to the model that a person does not see. */
function readable(text: Json, path: string, faults: string[], losses: Loss[]): string {
  if (typeof text !== 'string') {
    faults.push(`${path} is ${formatValue(text)}; it must be text`);
    return '';
  }
  if (text.length > DESCRIPTION) faults.push(`${path} has ${text.length} characters; ${DESCRIPTION} are allowed: shorten it`);
  const visibleText = visible(text.slice(0, DESCRIPTION).replace(/\r\n?/g, '\n')).trim();
  if (visibleText !== text.trim()) losses.push({ path, what: 'invisible characters are shown as ⟨U+…⟩' });
  return visibleText;
}

function withVisibleText(schema: JsonObject, at: string, losses: Loss[]): JsonObject {
  return mapSchema(schema, (each, path) => {
    const out: JsonObject = { ...each };
    for (const key of ['title', 'description'] as const) {
      const text = out[key];
      if (typeof text !== 'string' || visible(text) === text) continue;
      out[key] = visible(text);
      losses.push({ path: `${at}${path}/${key}`, what: 'invisible characters are shown as ⟨U+…⟩' });
    }
    return out;
  }) as JsonObject;
}

/** One loss for each field of a foreign definition that our definition has no field for. */
export function lossesOfUnknownFields(foreign: JsonObject, knownFields: string[], side: string, path = ''): Loss[] {
  return Object.entries(foreign)
    .filter(([field, value]) => !knownFields.includes(field) && value !== null)
    .map(([field, value]) => ({ path: `${path}/${field}`, what: `${side}'s ${formatValue(field)}: ${formatValue(value)}` }));
}

/** @throws ConversionError unless it is an object */
export function objectOf(value: Json | undefined, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new ConversionError(`${what} must be an object, not ${formatValue(value)}`);
}
