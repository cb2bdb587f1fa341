/**
 * Tells client tools from the vendor's server tools. A server tool runs at the vendor, without our admission, approval and
 * record. It may be listed only under an agent's `serverTools`, and never becomes a client tool.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { ConversionError, formatValue } from './conversion';

/** Types of client tools, whose definition brings its own schema. A definition without a type is a client tool. */
const CLIENT_TYPES: unknown[] = [undefined, null, 'custom', 'function'];

/** True for `{type: 'web_search_20250305', …}` and every other tool whose schema the vendor defines. */
export function isServerTool(definition: JsonObject): boolean {
  return !CLIENT_TYPES.includes(definition.type);
}

/** Tools whose schema the vendor defines, but which the client has to run. */
const RUN_HERE = /^(bash|text_editor|memory|computer|computer_toolset|browser_toolset)_\d{8}$/;
const INSTEAD =
  'its schema is the vendor’s, but it runs here, and nothing would run it: define a tool of that purpose with defineTool, so that its calls are admitted and approved';

/** The faults of an agent's `serverTools`, as messages. @param names names of the agent's own tools */
export function serverToolFaults(serverTools: readonly JsonObject[] | undefined, names: readonly string[]): string[] {
  if (serverTools === undefined) return [];
  if (!Array.isArray(serverTools) || !serverTools.every(isJsonObject))
    return ["serverTools must be a list of the vendor's definitions"];
  return serverTools.flatMap((definition, index) => {
    const { type = null, name = null } = definition;
    const of = `serverTools[${index}] (${formatValue(type)})`;
    if (!isServerTool(definition))
      return [`${of} is a tool with a schema of its own: define it with defineTool, and list it under tools`];
    if (RUN_HERE.test(String(type))) return [`${of}: ${INSTEAD}`];
    return names.includes(String(name)) ? [`${of} is named like one of the agent's tools: ${String(name)}`] : [];
  });
}

/** @throws ConversionError for a server tool, and for a tool with the vendor's schema that the client would have to run */
export function refuseServerTool(definition: JsonObject, side: string): void {
  if (!isServerTool(definition)) return;
  if (RUN_HERE.test(String(definition.type))) throw new ConversionError(`${formatValue(definition.type)}: ${INSTEAD}.`);
  throw new ConversionError(
    `${formatValue(definition.type)} is a tool that ${side} defines itself, not a client tool with a schema of its own: ` +
      'it would run past admission and approval. List it under serverTools of an agent that may use it.',
  );
}

/** Splits a request's tools into client tools and server tools; each list keeps its order. */
export function apart(definitions: readonly JsonObject[]): { client: JsonObject[]; server: JsonObject[] } {
  return {
    client: definitions.filter((definition) => !isServerTool(definition)),
    server: definitions.filter(isServerTool),
  };
}
