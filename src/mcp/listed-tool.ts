/**
 * Parses a tool from an MCP server's list: untrusted input, reduced to plain JSON of limited size and hashed. Also derives its
 * name for the model, and its class.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConversionError, type McpImport } from '../tools/convert';
import { fromMcp } from '../tools/convert/mcp';
import { DEFINITION_BOUNDS, plainJson } from '../tools/convert/plain-json';
import { hashJson } from '../shared/json/digests';
import { isJsonObject, type JsonObject, type Json } from '../shared/json/json';
import { sha256Hex } from '../shared/json/sha256';
import { toJson } from '../tools/results/to-json';
import { SEPARATOR } from '../tools/catalogue/tool-source';
import { countSchemas } from '../tools/schema/cost';
import { errorMessage } from '../shared/text/error-message';

export interface ListedTool {
  /** As the server calls it. */
  name: string;
  /** The server's definition, without the fields that make no difference to a caller. */
  definition: JsonObject;
  /** Hash of the definition: name, description, schemas, annotations and every other field. */
  hash: string;
}

/** The server's private notes, and icons for people. */
const LEFT_OUT = ['_meta', 'icons'];

/** Does not check the schemas. @throws ConversionError for what is not a tool definition */
export function parseListedTool(raw: unknown): ListedTool {
  const copy = plainJson(raw, DEFINITION_BOUNDS, 'The tool');
  const json = toJson(copy); // lone surrogates and huge integers could not be hashed
  if (!json.ok || !isJsonObject(json.data) || typeof json.data.name !== 'string' || json.data.name.length > 256)
    throw new ConversionError('The tool is no object with a name of at most 256 characters.');
  const definition = Object.fromEntries(Object.entries(json.data).filter(([key]) => !LEFT_OUT.includes(key)));
  const { execution } = definition;
  if (isJsonObject(execution) && execution.taskSupport === 'required')
    throw new ConversionError(
      `The tool ${JSON.stringify(json.data.name)} can be called as a task only, which is not supported here.`,
    );
  return { name: json.data.name, definition, hash: hashJson(definition) };
}

/** @throws ConversionError that lists every fault */
export function importedTool(server: string, definition: JsonObject): McpImport {
  const annotations = isJsonObject(definition.annotations) ? definition.annotations : {};
  const title = definition.title ?? annotations.title;
  return fromMcp({ ...definition, name: toolName(server, String(definition.name)), title });
}

// A tool's name for the model API: the server's name, the separator, the tool's own name. MCP allows names that the API does not.
// Such a name is made valid, and a hash of the real name keeps two of them apart. The real name is read from the pinned
// definition, and never derived from this one.

/** The model API's limit, characters. */
const LONGEST = 64;
const HASH = 8;

/** Lower case, digits, single `-` and `_`, so that no name holds the separator. */
export const SERVER_NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/;

/** Depends on these two names only, not on the server's other tools. */
export function toolName(server: string, tool: string): string {
  const prefix = `${server}${SEPARATOR}`;
  const plain = tool.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === tool && tool !== '' && prefix.length + tool.length <= LONGEST) return prefix + tool;
  const hash = sha256Hex(tool).slice(0, HASH);
  return `${prefix}${plain.slice(0, LONGEST - prefix.length - HASH - 1)}_${hash}`;
}

// The class that a server's hints suggest. Hints are the server's claims about itself. They can make a class stricter, and they
// are proposed to a person. Hints alone never make a tool less strict.

/** The classes that a person may accept, mildest first. `compute` and `agent` are for the app's own tools. */
export const CLASSES = ['read', 'write', 'destructive'] as const;
export type AcceptableClass = (typeof CLASSES)[number];

/**
 * The class to propose. A `write` call may be repeated after a crash, so only a tool that calls itself idempotent is proposed as
 * `write`.
 */
export function proposedClass(annotations: Json | undefined): AcceptableClass {
  const hints = hintsOf(annotations);
  if (hints.readOnlyHint === true) return stricter('read', leastClass(annotations));
  return hints.destructiveHint === false && hints.idempotentHint === true ? 'write' : 'destructive';
}

/** The effective class: the one that a person accepted, else destructive; stricter where the server's hints require it. */
export function classOf(acceptedClass: AcceptableClass | null, annotations: Json | undefined): AcceptableClass {
  return stricter(acceptedClass ?? 'destructive', leastClass(annotations));
}

/** Reads explicit hints only: MCP's defaults are not a statement of the server. */
function leastClass(annotations: Json | undefined): AcceptableClass {
  const hints = hintsOf(annotations);
  if (hints.destructiveHint === true) return 'destructive';
  return hints.readOnlyHint === false ? 'write' : 'read';
}

export function stricter(a: AcceptableClass, b: AcceptableClass): AcceptableClass {
  return CLASSES.indexOf(a) >= CLASSES.indexOf(b) ? a : b;
}

function hintsOf(annotations: Json | undefined): JsonObject {
  return isJsonObject(annotations) ? annotations : {};
}

// The usable tools of a server's list. Compiling their schemas takes long. So the loop yields to other work of this process, does
// not compile tools of the previous list again, and limits the number of schemas and the size of all definitions.

/** Limit for the schemas of all tools of a server together. Compiling one takes half a millisecond. */
const MOST_SCHEMAS = 20_000;
/** Limit for the definitions of all tools of a server together, characters of JSON. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** Time that the loop runs before it yields, ms; one large tool may take longer. */
const AT_ONCE_MS = 10;

/**
 * @param others tools of the previous list
 * @param refuse gets the reason why a tool cannot be used
 * @throws Error if the definitions are too large together
 */
export async function usableTools(
  server: string,
  raw: Iterable<unknown> | AsyncIterable<unknown>,
  others: readonly ListedTool[],
  refuse: (why: string) => void,
): Promise<ListedTool[]> {
  const before = new Map(others.map((tool) => [tool.hash, tool]));
  const tools = new Map<string, ListedTool>();
  const pause = pauses();
  let schemas = 0;
  let characters = 0;
  for await (const one of raw) {
    await pause();
    try {
      const tool = parseListedTool(one);
      if (tools.has(tool.name)) throw new Error(`two tools are called ${JSON.stringify(tool.name.slice(0, 100))}`);
      schemas += schemasOf(tool.definition.inputSchema) + schemasOf(tool.definition.outputSchema);
      if (schemas > MOST_SCHEMAS)
        throw new Error(
          `with ${JSON.stringify(tool.name.slice(0, 100))} the tools have more than ${MOST_SCHEMAS} schemas together`,
        );
      const same = before.get(tool.hash);
      if (!same) importedTool(server, tool.definition);
      tools.set(tool.name, same ?? tool);
      characters += JSON.stringify(tool.definition).length;
    } catch (error) {
      refuse(errorMessage(error));
    }
    if (characters > MOST_CHARACTERS)
      throw new Error(
        `The tools have more than ${MOST_CHARACTERS} characters of JSON together: the server has to list fewer or smaller ones.`,
      );
  }
  return [...tools.values()];
}

function schemasOf(schema: Json | undefined): number {
  return isJsonObject(schema ?? null) ? countSchemas(schema as JsonObject) : 0;
}

/** Returns a function to await between pieces of work: it yields to other work after `AT_ONCE_MS`. */
export function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_ONCE_MS) return;
    await nextTurn();
    since = performance.now();
  };
}
