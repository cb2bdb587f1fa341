/**
 * A server's result as ours: its blocks in their order, files kept beside it, structured content as data. Whatever it
 * holds is data of a stranger: bounded, without the secrets that we sent, and never read as a decision about anything.
 */
import { LRUCache } from 'lru-cache';
import { hashJson } from '../shared/json/digests';
import { isJsonObject, type Json, type JsonObject, setOwn } from '../shared/json/json';
import { binaryFile, type BinaryFile } from '../tools/results/result-files';
import { foreignSchema } from '../tools/convert/foreign-schema';
import { plainJson, RESULT_BOUNDS } from '../tools/convert/plain-json';
import { ToolError } from '../tools/define/errors';
import { checkOutput } from '../tools/schema/input-output';
import { MESSAGE_BYTES } from './connection/bounded-fetch';
import type { Tool } from '../tools/define/tool';

const BOUNDS = { ...RESULT_BOUNDS, characters: MESSAGE_BYTES };
/** As many as one result may hold (`tools/results/result-files.ts`). */
const MOST_FILES = 20;

/** What a tool returns: `{content?: [...], structured?: {...}}`, or `{text}` where there is nothing but one text. */
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
  // For clients that know no structured content a server says the same once more, as text.
  const whole = JSON.stringify(structured);
  const said = structured === null ? blocks : blocks.filter((block) => !says(block, whole));
  if (structured === null && said.length === 1 && said[0]!.type === 'text') return { text: String(said[0]!.text) };
  let files = 0;
  const content = said.map((block) => blockData(block, () => ++files <= MOST_FILES));
  return { ...(content.length > 0 || structured === null ? { content } : {}), ...(structured === null ? {} : { structured }) };
}

/** By the hash of what a server says. A schema is compiled once for each object that it is. */
const outputSchemas = new LRUCache<string, JsonObject>({ max: 1000 });

/** A tool's output schema in our dialect: the same object for the same text. @throws ConversionError */
export function outputSchemaOf(outputSchema: Json): JsonObject {
  const hash = hashJson(outputSchema);
  const known = outputSchemas.get(hash);
  if (known) return known;
  const schema = foreignSchema(outputSchema, '/outputSchema', [], []);
  outputSchemas.set(hash, schema);
  return schema;
}

/**
 * What the structured content lacks of what the server promised; null: nothing, or it promised nothing.
 * @param server who pays with its time where the check takes long
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
  const contentType = typeof mimeType === 'string' ? mimeType : OCTETS;
  const ending = /^[a-z]+\/([a-z0-9]{1,8})$/.exec(contentType)?.[1];
  const filename = name.includes('.') || ending === undefined ? name : `${name}.${ending}`;
  try {
    return { file: binaryFile({ filename, contentType, bytes }) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { file: binaryFile({ filename, contentType: OCTETS, bytes }) }; // a content type that is none
  }
}

const OCTETS = 'application/octet-stream';

function nameOf(uri: Json | undefined): string {
  return typeof uri === 'string' ? (uri.split(/[/\\]/).at(-1) ?? 'resource').slice(0, 200) : 'resource';
}

/** Those that are texts. */
function texts(fields: Record<string, Json | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string'));
}

/** @param json of the structured content, written once: there may be thousands of blocks */
function says(block: JsonObject, json: string): boolean {
  if (block.type !== 'text' || typeof block.text !== 'string') return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === json;
  } catch {
    return false;
  }
}

/** Every text, keys too. */
function cleanTexts(value: Json, clean: (text: string) => string): Json {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleanTexts(item, clean));
  if (!isJsonObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(out, clean(key), cleanTexts(item, clean));
  return out;
}
