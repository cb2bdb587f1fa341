/**
 * Prompts, resources and completions that an app offers MCP clients (docs/mcp-server.md): types and validation. The gateway calls
 * these functions in its own process: they must be brief and only read. Actions belong in tools. Questions to clients: mcp-asks.ts.
 */
import { unknownFields } from '../shared/json/json';
import { isRecord, type McpAsks, type McpAsker } from './mcp-asks';
import { uriFaults, uriTemplateFaults, variablesOf } from '../shared/text/uri-template';
type Maybe<T> = T | Promise<T>;

/** Possible values of an argument, the best first. `given` are the arguments that the client has already. */
export type McpCompletion = (
  text: string,
  context: { asker: McpAsker; given: Readonly<Record<string, string>> },
) => Maybe<readonly string[]>;

export type McpContent =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string; description?: string };

export interface McpMessage {
  role: 'user' | 'assistant';
  /** `data` and `blob` are base64. */
  content: McpContent;
}

interface McpListing {
  /** For people. Default: the name. */
  title?: string;
  description?: string;
  /** Who sees it; only `true` shows it. Default: all who may use MCP. */
  visibleTo?(asker: McpAsker): boolean;
}

export interface McpArgument {
  description?: string;
  /** Default false. */
  required?: boolean;
  complete?: McpCompletion;
}

export interface McpPrompt extends McpListing {
  /** `[A-Za-z0-9._-]{1,64}` */
  name: string;
  description: string;
  arguments?: Record<string, McpArgument>;
  /** A string is one message of the user. */
  messages(args: Readonly<Record<string, string>>, asker: McpAsker): Maybe<string | McpMessage[]>;
}

export interface McpResource extends McpListing {
  uri: string;
  name: string;
  mimeType: string;
  /** Bytes are sent as base64. */
  read(asker: McpAsker): Maybe<string | Uint8Array>;
}

export interface McpResourceTemplate extends McpListing {
  /** `invoice://{id}`: a variable is one segment, without slashes, never `.` or `..`. */
  uriTemplate: string;
  name: string;
  mimeType: string;
  complete?: Record<string, McpCompletion>;
  /** Null: there is no such resource. */
  read(variables: Readonly<Record<string, string>>, asker: McpAsker): Maybe<string | Uint8Array | null>;
}

export interface McpDefinition extends McpAsks {
  prompts?: readonly McpPrompt[];
  resources?: readonly McpResource[];
  resourceTemplates?: readonly McpResourceTemplate[];
  /** Sends clients what tools log in the client's own calls, without secrets. Default false: a tool's log is for the operator. */
  toolLogs?: boolean;
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const MOST = 1000;
const MOST_ARGUMENTS = 50;
const MOST_TEXT = 4000;

/** For each kind of entry: its allowed fields, and the field that identifies it. */
const KINDS = {
  prompts: { key: 'name', fields: ['name', 'title', 'description', 'visibleTo', 'arguments', 'messages'] },
  resources: { key: 'uri', fields: ['uri', 'name', 'title', 'description', 'visibleTo', 'mimeType', 'read'] },
  resourceTemplates: {
    key: 'uriTemplate',
    fields: ['uriTemplate', 'name', 'title', 'description', 'visibleTo', 'mimeType', 'complete', 'read'],
  },
} as const;

type Kind = keyof typeof KINDS;
type Entry = Record<string, unknown>;

/** The faults of an app's `mcp`, as texts. */
export function mcpListingFaults(mcp: unknown): string[] {
  if (mcp === undefined) return [];
  if (!isRecord(mcp)) return ['mcp must be {prompts, resources, resourceTemplates, forms, samples, toolLogs}'];
  const faults = unknownFields(mcp, [...Object.keys(KINDS), 'forms', 'samples', 'toolLogs'], 'mcp');
  if (!['boolean', 'undefined'].includes(typeof mcp.toolLogs)) faults.push('mcp.toolLogs must be true or false');
  for (const kind of Object.keys(KINDS) as Kind[]) faults.push(...listFaults(kind, mcp[kind]));
  return faults;
}

function listFaults(kind: Kind, list: unknown): string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length > MOST || !list.every(isRecord))
    return [`mcp.${kind} must be a list of at most ${MOST}`];
  const keys = list.map((entry) => entry[KINDS[kind].key]);
  const twice = keys
    .filter((key, index) => keys.indexOf(key) !== index)
    .map((key) => `mcp.${kind}: ${String(key)} is there twice`);
  return [...twice, ...list.flatMap((entry, index) => entryFaults(kind, entry, `mcp.${kind}[${index}]`))];
}

function entryFaults(kind: Kind, entry: Entry, at: string): string[] {
  const faults = unknownFields(entry, KINDS[kind].fields, at);
  const fault = (condition: boolean, text: string) => condition && faults.push(`${at}${text}`);
  fault(!isName(entry.name), `.name must match ${NAME.source}`);
  fault(!isText(entry.title ?? 'none'), `.title must be a text of 1 to ${MOST_TEXT} characters`);
  const description = kind === 'prompts' ? entry.description : (entry.description ?? 'none');
  fault(!isText(description), `.description must be a text of 1 to ${MOST_TEXT} characters`);
  fault(!isFunction(entry.visibleTo ?? isName), '.visibleTo must be a function of who asks');
  if (kind === 'prompts') {
    fault(!isFunction(entry.messages), '.messages must be a function of the arguments');
    return [...faults, ...argumentFaults(entry.arguments ?? {}, `${at}.arguments`)];
  }
  fault(!isFunction(entry.read), '.read must be a function');
  fault(!isText(entry.mimeType), '.mimeType must be a media type such as text/plain');
  if (kind === 'resources') return [...faults, ...uriFaults(entry.uri).map((text) => `${at}.uri ${text}`)];
  const wrong = uriTemplateFaults(entry.uriTemplate).map((text) => `${at}.uriTemplate ${text}`);
  if (wrong.length > 0) return [...faults, ...wrong];
  const complete = entry.complete ?? {};
  if (!isRecord(complete) || !Object.values(complete).every(isFunction))
    return [...faults, `${at}.complete must be {variable: function}`];
  return [...faults, ...unknownFields(complete, variablesOf(entry.uriTemplate as string), `${at}.complete`)];
}

function argumentFaults(value: unknown, at: string): string[] {
  if (!isRecord(value) || Object.keys(value).length > MOST_ARGUMENTS)
    return [`${at} must be {name: {description, required, complete}}, at most ${MOST_ARGUMENTS}`];
  return Object.entries(value).flatMap(([name, argument]) => {
    const of = `${at}.${name.slice(0, 100)}`;
    if (!isName(name)) return [`${of}: a name must match ${NAME.source}`];
    if (!isRecord(argument)) return [`${of} must be {description, required, complete}`];
    const faults = unknownFields(argument, ['description', 'required', 'complete'], of);
    if (!isText(argument.description ?? 'none')) faults.push(`${of}.description must be a text of 1 to ${MOST_TEXT} characters`);
    if (!['boolean', 'undefined'].includes(typeof argument.required)) faults.push(`${of}.required must be true or false`);
    if (!isFunction(argument.complete ?? isName)) faults.push(`${of}.complete must be a function of what is typed`);
    return faults;
  });
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && NAME.test(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MOST_TEXT;
}
