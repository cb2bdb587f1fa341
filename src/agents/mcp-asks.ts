/**
 * Forms (MCP elicitation) and prompts to the client's model (MCP sampling) that fill in input which a call leaves out: types,
 * validation, and the form's schema. They are asked before the call begins. The answer becomes part of its input, so that it is
 * checked, digested, approved and recorded with it; a running call asks nothing.
 */
import { isJsonObject, type Json, type JsonObject, unknownFields } from '../shared/json/json';
import { toolDefinition } from '../tools/convert/definition';
import type { Tool } from '../tools/define/tool';

/** For a tool: input fields that the client's user fills in if a call leaves them out. */
export interface McpForm {
  /** What the user reads above the form. */
  message: string;
  /** Fields of type text, number, boolean, or choice of texts. */
  fields: readonly string[];
  /** For choices: what the user reads instead of a value, by field. */
  labels?: Record<string, Record<string, string>>;
}

/** For a tool: a text field of its input that the client's model writes if a call leaves it out. */
export interface McpSample {
  field: string;
  /** Makes the model's prompt from the rest of the input. */
  prompt(input: JsonObject, asker: McpAsker): string | Promise<string>;
  /** Most tokens of the answer. */
  maxTokens: number;
}

export interface McpAsks {
  forms?: Record<string, McpForm>;
  samples?: Record<string, McpSample>;
}

const MOST_FIELDS = 20;
const MOST_MESSAGE = 1000;
const MOST_TOKENS = 100_000;

/** The faults of forms and samples, as texts. @param tools of the app, in all versions */
export function askFaults({ forms = {}, samples = {} }: McpAsks, tools: readonly Tool[]): string[] {
  if (!isRecord(forms) || !isRecord(samples)) return ['mcp.forms and mcp.samples must be by the name of a tool'];
  const inputs = (name: string) => tools.filter((tool) => tool.name === name).map((tool) => toolDefinition(tool).parameters);
  return [
    ...Object.entries(forms).flatMap(([name, form]) => formFaults(form, inputs(name), `mcp.forms.${name}`)),
    ...Object.entries(samples).flatMap(([name, sample]) => sampleFaults(sample, inputs(name), `mcp.samples.${name}`)),
  ];
}

function formFaults(form: unknown, inputs: readonly JsonObject[], at: string): string[] {
  if (!isRecord(form)) return [`${at} must be {message, fields, labels}`];
  const { message, fields, labels = {} } = form as Partial<McpForm>;
  const faults = unknownFields(form, ['message', 'fields', 'labels'], at);
  if (inputs.length === 0) faults.push(`${at}: the app has no tool of this name`);
  if (typeof message !== 'string' || message.trim() === '' || message.length > MOST_MESSAGE)
    faults.push(`${at}.message must be a text of 1 to ${MOST_MESSAGE} characters`);
  if (!isListOfNames(fields)) return [...faults, `${at}.fields must be a list of 1 to ${MOST_FIELDS} fields of the tool's input`];
  const labelsFit =
    isRecord(labels) && Object.entries(labels).every(([field, texts]) => fields.includes(field) && isLabels(texts));
  if (!labelsFit) return [...faults, `${at}.labels must be {field: {value: text}}, of fields of the form`];
  for (const input of inputs)
    for (const field of fields)
      if (formField(propertyOf(input, field), labels[field]) === null)
        faults.push(
          `${at}.fields: ${field} is no field of the tool's input that a form can have (a text, a number, a boolean, or a choice of texts)`,
        );
  return faults;
}

function sampleFaults(sample: unknown, inputs: readonly JsonObject[], at: string): string[] {
  if (!isRecord(sample)) return [`${at} must be {field, prompt, maxTokens}`];
  const { field, prompt, maxTokens } = sample as Partial<McpSample>;
  const faults = unknownFields(sample, ['field', 'prompt', 'maxTokens'], at);
  if (inputs.length === 0) faults.push(`${at}: the app has no tool of this name`);
  if (typeof prompt !== 'function') faults.push(`${at}.prompt must be a function of the input`);
  if (!Number.isInteger(maxTokens) || maxTokens! < 1 || maxTokens! > MOST_TOKENS)
    faults.push(`${at}.maxTokens must be an integer from 1 to ${MOST_TOKENS}`);
  const isText = (input: JsonObject) => typeof field === 'string' && propertyOf(input, field)?.type === 'string';
  if (!inputs.every(isText)) faults.push(`${at}.field must be a text of the tool's input`);
  return faults;
}

/** The fields of a form that a call leaves out, as a schema of the protocol. Null: there is nothing to ask. */
export function formOf(parameters: JsonObject, { fields, labels = {} }: McpForm, input: JsonObject): JsonObject | null {
  const missing = fields.filter((field) => !Object.hasOwn(input, field));
  const entries = missing.map((field) => [field, formField(propertyOf(parameters, field), labels[field])] as const);
  const properties = Object.fromEntries(entries.filter((entry): entry is [string, JsonObject] => entry[1] !== null));
  if (Object.keys(properties).length === 0) return null;
  const { required = [] } = parameters;
  const requiredFields = Object.keys(properties).filter((field) => Array.isArray(required) && required.includes(field));
  return { type: 'object', properties, ...(requiredFields.length === 0 ? {} : { required: requiredFields }) };
}

const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

/** Null: the protocol has no such field. */
export function formField(schema: JsonObject | null, labels: Record<string, string> | undefined): JsonObject | null {
  if (schema === null) return null;
  const about = pick(schema, ['type', 'title', 'description', 'default']);
  switch (schema.type) {
    case 'boolean':
      return about;
    case 'number':
    case 'integer':
      return { ...about, ...pick(schema, ['minimum', 'maximum']) };
    case 'string': {
      const choice = choiceOf(schema, 'oneOf');
      // Clients of all revisions know `enumNames`; titles within `oneOf` only the newer ones.
      if (choice?.enum && labels)
        return { ...about, ...choice, enumNames: (choice.enum as string[]).map((value) => labels[value] ?? value) };
      if (choice || 'enum' in schema || 'oneOf' in schema) return choice && { ...about, ...choice };
      return {
        ...about,
        ...pick(schema, ['minLength', 'maxLength']),
        ...(FORMATS.includes(schema.format) ? pick(schema, ['format']) : {}),
      };
    }
    case 'array': {
      const choice = isJsonObject(schema.items) ? choiceOf(schema.items, 'anyOf') : null;
      const items = choice?.enum ? { type: 'string', ...choice } : choice;
      return items && { ...about, ...pick(schema, ['minItems', 'maxItems']), items };
    }
    default:
      return null;
  }
}

/** The texts of a choice, with their titles if they have some; null: no choice of texts. */
function choiceOf(schema: JsonObject, keyword: 'oneOf' | 'anyOf'): JsonObject | null {
  const { enum: values, [keyword]: options } = schema;
  if (Array.isArray(values)) return values.every((value) => typeof value === 'string') ? { enum: values } : null;
  if (!Array.isArray(options)) return null;
  const plain = options.map((option) => (isJsonObject(option) ? pick(option, ['const', 'title']) : {}));
  return plain.every((option) => typeof option.const === 'string' && typeof option.title === 'string')
    ? { [keyword]: plain }
    : null;
}

function propertyOf({ properties }: JsonObject, field: string): JsonObject | null {
  const schema: Json | undefined = isJsonObject(properties) && Object.hasOwn(properties, field) ? properties[field] : undefined;
  return isJsonObject(schema) ? schema : null;
}

function pick(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(schema, name)).map((name) => [name, schema[name]!]));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLabels(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}

function isListOfNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.length <= MOST_FIELDS && value.every((name) => typeof name === 'string')
  );
}

/** The caller of an MCP function, and the connection. */
export interface McpAsker {
  /** Full name: `tenant/name`, or `name`. */
  principal: string;
  /** Null: a principal of the operator. */
  tenant: string | null;
  roles: readonly string[];
  /** The agent, if the connection asked for the tools of one agent; else null. */
  agent: string | null;
}
