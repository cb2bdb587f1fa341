/** A tool as its server lists it: hostile input, made into plain JSON of bounded size, and hashed. */
import { createHash } from 'node:crypto';
import { ConversionError, type McpImport } from '../tools/convert';
import { fromMcp } from '../tools/convert/mcp';
import { DEFINITION_BOUNDS, plainJson } from '../tools/convert/plain-json';
import { hashJson } from '../store/core/seal';
import { isJsonObject, type JsonObject } from '../shared/json/json';
import { toJson } from '../tools/results/to-json';
import { SEPARATOR } from '../tools/catalogue/tool-source';

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
export function readListed(raw: unknown): ListedTool {
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
