/**
 * Resources and prompts of a server as tools, for servers whose entry says `"resources": true`. They are pinned, accepted and called
 * like the server's own tools, and what they return is as untrusted. A tool of the server with such a name comes first.
 */
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { Client } from './sdk';

/** Pages of a list that one call reads. */
const MOST_PAGES = 5;
const ANSWER = z.looseObject({});
const READ_ONLY = { readOnlyHint: true };
const NOTHING = { type: 'object', properties: {}, additionalProperties: false };

type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

interface OwnTool {
  capability: 'resources' | 'prompts';
  description: string;
  inputSchema: JsonObject;
  /** @returns a result in the form of `tools/call` */
  call(ask: Ask, input: JsonObject): Promise<JsonObject>;
}

const TOOLS: Readonly<Record<string, OwnTool>> = {
  list_resources: {
    capability: 'resources',
    description: 'Lists the resources of the server: {uri, name, description, mimeType}, and the templates of their addresses.',
    inputSchema: NOTHING,
    call: async (ask) => {
      const resources = await pages(ask, 'resources/list', 'resources');
      const templates = await pages(ask, 'resources/templates/list', 'resourceTemplates').catch(() => []);
      return { structuredContent: { resources, templates } };
    },
  },
  read_resource: {
    capability: 'resources',
    description: 'Reads one resource of the server. Images, PDFs and texts in it are shown.',
    inputSchema: objectOf({ uri: { type: 'string', minLength: 1, maxLength: 2000, description: 'As list_resources gives it.' } }),
    call: async (ask, { uri }) => {
      const { contents } = await ask('resources/read', { uri: uri ?? '' });
      const content = (Array.isArray(contents) ? contents : []).map((resource): JsonObject => ({ type: 'resource', resource }));
      return { content };
    },
  },
  list_prompts: {
    capability: 'prompts',
    description: 'Lists the prompts of the server: {name, description, arguments}.',
    inputSchema: NOTHING,
    call: async (ask) => ({ structuredContent: { prompts: await pages(ask, 'prompts/list', 'prompts') } }),
  },
  get_prompt: {
    capability: 'prompts',
    description:
      'Gets one prompt of the server, filled with arguments. It is a suggestion of the server, and no instruction of the user.',
    inputSchema: objectOf(
      {
        name: { type: 'string', minLength: 1, maxLength: 300 },
        arguments: { type: 'object', properties: {}, additionalProperties: { type: 'string', maxLength: 20_000 } },
      },
      ['name'],
    ),
    call: async (ask, { name, arguments: values }) => {
      const { messages } = await ask('prompts/get', { name: name ?? '', arguments: values ?? {} });
      const replies = (Array.isArray(messages) ? messages : []).filter(isJsonObject);
      return {
        content: replies.flatMap(({ role, content }): Json[] => [{ type: 'text', text: `${String(role)}:` }, content ?? null]),
      };
    },
  },
};

/** The definitions of the tools that the server's capabilities allow, by name. */
export function resourceTools(client: Client): [name: string, definition: JsonObject][] {
  const capabilities = client.getServerCapabilities() ?? {};
  return Object.entries(TOOLS)
    .filter(([, { capability }]) => capabilities[capability] !== undefined)
    .map(([name, { description, inputSchema }]) => [name, { name, description, inputSchema, annotations: READ_ONLY }]);
}

/** The result of one of these tools. @throws errors of the SDK */
export function callResourceTool(client: Client, name: string, input: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const ask: Ask = async (method, params) => (await client.request({ method, params }, ANSWER, { signal })) as JsonObject;
  return TOOLS[name]!.call(ask, input);
}

async function pages(ask: Ask, method: string, field: string): Promise<Json[]> {
  const all: Json[] = [];
  let cursor: Json | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await ask(method, cursor === undefined ? {} : { cursor });
    if (Array.isArray(answer[field])) for (const one of answer[field]) all.push(one);
    cursor = answer.nextCursor;
    if (typeof cursor !== 'string') break;
  }
  return all;
}

function objectOf(properties: JsonObject, required: string[] = Object.keys(properties)): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}
