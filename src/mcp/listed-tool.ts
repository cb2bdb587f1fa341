/** A tool as its server lists it: hostile input, made into plain JSON of bounded size, and hashed. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConversionError, type McpImport } from '../tools/convert';
import { fromMcp } from '../tools/convert/mcp';
import { DEFINITION_BOUNDS, plainJson } from '../tools/convert/plain-json';
import { hashJson } from '../store/core/seal';
import { isJsonObject, type JsonObject, type Json } from '../shared/json/json';
import { toJson } from '../tools/results/to-json';
import { SEPARATOR } from '../tools/catalogue/tool-source';
import { countSchemas } from '../tools/schema/cost';

export interface ListedTool {
  /** As the server calls it. */
  name: string;
  /** What the server says of it, without what changes nothing for whoever calls it. */
  definition: JsonObject;
  /** Of the definition: name, description, schemas, annotations, and whatever else it holds. */
  hash: string;
}

/** The server's private notes, and pictures for people. */
const LEFT_OUT = ['_meta', 'icons'];

/** Without a look at its schemas. @throws ConversionError for what is no definition */
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

// A tool's name as the model API takes it: the server's, then the tool's own. MCP allows names that the API does not;
// those are mended, and a hash of the real name keeps two of them apart. What a name stands for is looked up in the
// pinned definition, never guessed from it.

/** The model API's own bound. */
const LONGEST = 64;
const HASH = 8;

/** Lower case, digits, single `-` and `_`, so that no name holds the separator. */
export const SERVER_NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/;

/** The same for the same two names, whatever else the server offers. */
export function toolName(server: string, tool: string): string {
  const prefix = `${server}${SEPARATOR}`;
  const plain = tool.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === tool && tool !== '' && prefix.length + tool.length <= LONGEST) return prefix + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH);
  return `${prefix}${plain.slice(0, LONGEST - prefix.length - HASH - 1)}_${hash}`;
}

// What a server's hints amount to. They are a server's word about itself: they can make a class stricter, and be a proposal to a
// person; by themselves they never make a tool harmless.

/** From the mildest. What a person may accept; `compute` and `agent` are for tools of our own. */
export const CLASSES = ['read', 'write', 'destructive'] as const;
export type AcceptableClass = (typeof CLASSES)[number];

/** The class to propose. `write` may be repeated after a crash, so only what calls itself idempotent is proposed as that. */
export function proposedClass(annotations: Json | undefined): AcceptableClass {
  const hints = hintsOf(annotations);
  if (hints.readOnlyHint === true) return stricter('read', leastClass(annotations));
  return hints.destructiveHint === false && hints.idempotentHint === true ? 'write' : 'destructive';
}

/** The class that counts: what a person accepted, or destructive; made stricter where the server itself says so. */
export function classOf(accepted: AcceptableClass | null, annotations: Json | undefined): AcceptableClass {
  return stricter(accepted ?? 'destructive', leastClass(annotations));
}

/** Only what is said counts: MCP's defaults are no statement of the server's. */
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

// Of what a server lists, the tools that can be used. To compile their schemas takes long: other work of this process has turns
// between, what is known from the list before is not compiled again, and all together have a bound.

/** Schemas of all tools of a server together: half a millisecond each, to compile. */
const MOST_SCHEMAS = 20_000;
/** How long nothing else runs, ms; one large tool may take longer. */
const AT_ONCE_MS = 10;

/** @param known tools of the list before @param refuse is told why one cannot be used */
export async function usableTools(
  server: string,
  raw: readonly unknown[],
  known: readonly ListedTool[],
  refuse: (why: string) => void,
): Promise<ListedTool[]> {
  const before = new Map(known.map((tool) => [tool.hash, tool]));
  const tools = new Map<string, ListedTool>();
  const pause = pauses();
  let schemas = 0;
  for (const one of raw) {
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
    } catch (error) {
      refuse(error instanceof Error ? error.message : String(error));
    }
  }
  return [...tools.values()];
}

function schemasOf(schema: Json | undefined): number {
  return isJsonObject(schema ?? null) ? countSchemas(schema as JsonObject) : 0;
}

/** To be awaited between pieces of work: gives other work a turn once they have taken a while. */
export function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_ONCE_MS) return;
    await nextTurn();
    since = performance.now();
  };
}
