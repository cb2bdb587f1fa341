import { TOOL_CLASSES } from '../shared/tool-class';
import type { ToolDefinition } from './define';
import { compile, inputSchema, isZod } from './schema';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
/** A field of these names would let the model approve itself. */
const DECISION_FIELDS = ['confirmed', 'user_confirmed', 'approved'];

/** Every fault of a tool definition, in words that say what to change. Empty: well defined. */
export function definitionFaults(tool: ToolDefinition<any>): string[] {
  if (typeof tool !== 'object' || tool === null) return ['a tool definition must be an object'];
  const faults: string[] = [];
  const fault = (condition: boolean, text: string) => condition && faults.push(text);

  fault(!NAME.test(tool.name), `name must match ${NAME.source}`);
  fault(!SEMVER.test(tool.version), `version ${JSON.stringify(tool.version)} must be a semantic version such as 1.0.0`);
  fault(!TOOL_CLASSES.includes(tool.class), `class ${JSON.stringify(tool.class)} must be one of ${TOOL_CLASSES.join(', ')}`);
  const does = typeof tool.description === 'string' ? tool.description : tool.description?.does;
  fault(typeof does !== 'string' || does.trim() === '', 'description is missing: say what the tool does');
  fault(typeof tool.run !== 'function', 'run must be a function');
  fault(tool.timeoutMs !== undefined && !(tool.timeoutMs > 0), `timeoutMs is ${tool.timeoutMs}; it must be positive`);
  fault(tool.cacheTtlMs !== undefined && tool.class !== 'read', `cacheTtlMs is for class read, not ${tool.class}`);
  fault(
    tool.preview !== undefined && tool.class !== 'destructive' && tool.class !== 'write',
    `preview is for tools with effects, not class ${tool.class}`,
  );
  fault(tool.idempotent === true && tool.class !== 'destructive', 'idempotent is for class destructive');
  faults.push(...schemaFaults(tool.input));
  return faults;
}

function schemaFaults(input: unknown): string[] {
  if (!isZod(input) && (typeof input !== 'object' || input === null)) return ['input must be a zod object or a JSON Schema'];
  try {
    const schema = inputSchema(input as never);
    compile(schema);
    if (schema.type !== 'object') return ['input must be a schema of type object'];
    return DECISION_FIELDS.filter((field) => Object.hasOwn((schema.properties ?? {}) as object, field)).map(
      (field) => `input has a field ${field}: an approval is a person's decision, never a field that the model sets`,
    );
  } catch (error) {
    return [`input is not a usable schema: ${error instanceof Error ? error.message : String(error)}`];
  }
}
