/**
 * Converts a server's result to a tool result: content blocks in order, files stored beside it, structured content as data. All
 * of it is untrusted. Its size is limited, the secrets that were sent to the server are removed, and no decision is read from it.
 */
import { LRUCache } from 'lru-cache';
import { hashJson } from '../shared/json/digests';
import { isJsonObject, type Json, type JsonObject, setOwn } from '../shared/json/json';
import { checkFile } from '../files/kind-of';
import { binaryFile, type BinaryFile } from '../tools/results/result-files';
import { foreignSchema } from '../tools/convert/foreign-schema';
import { plainJson, RESULT_BOUNDS } from '../tools/convert/plain-json';
import { ToolError } from '../tools/define/errors';
import { checkOutput } from '../tools/schema/input-output';
import { MESSAGE_BYTES } from './connection/bounded-fetch';
import type { Tool } from '../tools/define/tool';

const BOUNDS = { ...RESULT_BOUNDS, characters: MESSAGE_BYTES };
/** The limit of files in one result (`tools/results/result-files.ts`). */
const MOST_FILES = 20;

/** What a tool returns: `{content?: [...], structured?: {...}}`, or `{text}` if the result is one text. */
export type McpData = { [key: string]: Json | BinaryFile | McpData | McpData[] };

/**
 * @param clean takes secrets out of a text
 * @throws ToolError when the server says that the call failed
 */
export function resultData(result: unknown, clean: (text: string) => string): McpData {
  const json = cleanTexts(plainJson(result, BOUNDS, 'The result'), clean) as JsonObject;
  const blocks = Array.isArray(json.content) ? json.content.filter(isJsonObject) : [];
  if (json.isError === true) throw toToolError(blocks);
  const structured = isJsonObject(json.structuredContent) ? json.structuredContent : null;
  // A server repeats structured content as text, for clients that do not support it. That block is left out.
  const whole = JSON.stringify(structured);
  const texts = structured === null ? blocks : blocks.filter((block) => !says(block, whole));
  if (structured === null && texts.length === 1 && texts[0]!.type === 'text') return { text: String(texts[0]!.text) };
  let files = 0;
  const content = texts.map((block) => blockData(block, () => ++files <= MOST_FILES));
  return { ...(content.length > 0 || structured === null ? { content } : {}), ...(structured === null ? {} : { structured }) };
}

/** Converted schemas, by the hash of the server's schema. Compiled schemas are cached per object, so the same object is reused. */
const outputSchemas = new LRUCache<string, JsonObject>({ max: 1000 });

/** Converts a tool's output schema to the dialect used here. Equal schemas give the same object. @throws ConversionError */
export function outputSchemaOf(outputSchema: Json): JsonObject {
  const hash = hashJson(outputSchema);
  const convertedSchema = outputSchemas.get(hash);
  if (convertedSchema) return convertedSchema;
  const schema = foreignSchema(outputSchema, '/outputSchema', [], []);
  outputSchemas.set(hash, schema);
  return schema;
}

/**
 * Checks structured content against the output schema. Returns the fault; null: there is none, or the server declared no schema.
 * @param server is charged for the time of a long check
 * @throws ConversionError
 */
export async function structuredFault(
  server: string,
  name: string,
  outputSchema: Json | undefined,
  data: McpData,
): Promise<string | null> {
  if (outputSchema === undefined) return null;
  const output = outputSchemaOf(outputSchema);
  if (data.structured === undefined) return `The result of ${name} has no structured content, which its definition promises.`;
  return (await checkOutput({ name, output } as Pick<Tool, 'name' | 'output'>, data.structured as Json, server))?.message ?? null;
}

function toToolError(blocks: JsonObject[]): ToolError {
  const text = blocks.map((block) => (typeof block.text === 'string' ? block.text : `[${String(block.type)}]`)).join('\n');
  const message = text.trim() === '' ? 'The tool failed, and did not say why.' : text;
  return new ToolError('EXECUTION_ERROR', 'tool_failed', message, { nothingHappened: false });
}

function blockData(block: JsonObject, mayKeep: () => boolean): McpData {
  const { type } = block;
  if (type === 'text') return { type, text: String(block.text) };
  if (type === 'image' || type === 'audio') return { type, ...fileData(block.data, block.mimeType, type, mayKeep) };
  if (type === 'resource' && isJsonObject(block.resource)) {
    const { uri, mimeType, text, blob } = block.resource;
    const about = { type, ...texts({ uri, mime_type: mimeType }) };
    if (typeof text === 'string') return { ...about, text };
    return { ...about, ...fileData(blob, mimeType, nameOf(uri), mayKeep) };
  }
  if (type === 'resource_link') {
    const { uri, name, title, description, mimeType } = block;
    return { type, ...texts({ uri, name, title, description, mime_type: mimeType }) };
  }
  return { type: String(type).slice(0, 100), unknown: block };
}

function fileData(base64: Json | undefined, mimeType: Json | undefined, name: string, mayKeep: () => boolean): McpData {
  if (typeof base64 !== 'string') return { left_out: 'it holds no data' };
  if (!mayKeep()) return { left_out: `a result has at most ${MOST_FILES} files` };
  const bytes = Buffer.from(base64, 'base64');
  const check = checkFile(bytes, typeof mimeType === 'string' ? mimeType : undefined);
  const contentType = typeof mimeType === 'string' ? mimeType : OCTETS;
  const ending = /^[a-z]+\/([a-z0-9]{1,8})$/.exec(contentType)?.[1];
  const filename = name.includes('.') || ending === undefined ? name : `${name}.${ending}`;
  try {
    return { file: binaryFile({ filename, contentType, bytes, shown: check.ok }) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { file: binaryFile({ filename, contentType: OCTETS, bytes }) }; // the content type is invalid
  }
}

const OCTETS = 'application/octet-stream';

function nameOf(uri: Json | undefined): string {
  return typeof uri === 'string' ? (uri.split(/[/\\]/).at(-1) ?? 'resource').slice(0, 200) : 'resource';
}

/** The fields whose value is a string. */
function texts(fields: Record<string, Json | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string'));
}

/** @param json the structured content, serialized once: there may be thousands of blocks */
function says(block: JsonObject, json: string): boolean {
  if (block.type !== 'text' || typeof block.text !== 'string') return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === json;
  } catch {
    return false;
  }
}

/** Cleans every text, keys too. */
function cleanTexts(value: Json, clean: (text: string) => string): Json {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleanTexts(item, clean));
  if (!isJsonObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(out, clean(key), cleanTexts(item, clean));
  return out;
}
