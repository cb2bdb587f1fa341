/** The tools that can be called, as HTTP shows them: those of the app that the workers serve. */
import { LRUCache } from 'lru-cache';
import type { App } from '../agents/define';
import type { McpDefinition } from '../agents/mcp';
import { callableTools, listedTools, type Listed } from '../agents/listed-tools';
import { toolDefinition } from '../tools/convert';
import { isFrom } from '../tools/catalogue/tool-source';
import type { Envelope } from '../shared/wire/errors';
import { checkPresigned, storedFile } from '../store/core/identity';
import { StoreError, type Store } from '../store/store';
import { filesIn, INLINE_FILE_BYTES, withContents, type FileResult } from '../tools/results/binary';
import { Refusal } from './http/errors';

export type ToolEntry = ReturnType<typeof toolDefinition> & { agents: string[] };

export interface ToolCatalogue {
  /** Every tool and version: also those that the workers refuse, with a reason of their own. */
  all(): readonly ToolEntry[];
  /** Those that a call of this principal can reach here and now: the same list until that changes. */
  callable(principal: string): readonly ToolEntry[];
  /** Whether it has the name of a tool of an agent's MCP servers: only the workers know whether there is one. */
  mayBeOutside(name: string): boolean;
  /** What the app offers MCP clients besides. */
  readonly mcp: McpDefinition;
}

/** @param environment HOLDFAST_ENVIRONMENT of the workers */
export function catalogueOf(app: App, environment?: string): ToolCatalogue {
  const listed = listedTools(app);
  const entryOf = ({ tool, agents }: Listed): ToolEntry => ({ ...toolDefinition(tool), agents });
  const entries = listed.map(entryOf);
  const lists = new LRUCache<string, readonly ToolEntry[]>({ max: 100 });
  const servers = app.agents.flatMap(({ mcpServers }) => mcpServers);
  return {
    all: () => entries,
    callable: (requester) => {
      const found = callableTools(app, listed, { environment, requester });
      const key = JSON.stringify(found.map(({ tool, agents }) => [tool.name, tool.version, agents]));
      const list = lists.get(key) ?? found.map(entryOf);
      lists.set(key, list);
      return list;
    },
    mayBeOutside: (name) => isFrom(servers, name),
    mcp: app.mcp ?? {},
  };
}

/**
 * The versions of a tool. Null where only the workers can tell: of an MCP server's tool, and without the app.
 * @throws Refusal 404 for one that cannot be
 */
export async function knownVersions(
  { catalogue }: { catalogue?(): Promise<ToolCatalogue> },
  name: string,
): Promise<readonly ToolEntry[] | null> {
  const known = await catalogue?.();
  const versions = known?.all().filter((entry) => entry.name === name) ?? [];
  if (versions.length > 0) return versions;
  if (known === undefined || known.mayBeOutside(name)) return null;
  const message = `There is no tool ${JSON.stringify(name)}. GET /tools lists those that there are.`;
  throw new Refusal({ code: 'TOOL_NOT_FOUND', reason: 'unknown_tool', message });
}

/** @@HEAD
 * Files of a direct call's result, below 1 MB each, come along in the answer as base64. History, which has less room, has their
 * addresses. Only what an address of ours names is read, by its signature: a tool can return whatever looks like a file.
 */

/** Bytes of all files of one answer: more are left to be fetched. */
const MOST_BYTES = 8_000_000;

export async function withFilesCarried(store: Store, envelope: Envelope): Promise<Envelope> {
  if (!envelope.success) return envelope;
  const contents = new Map<string, string>();
  let bytes = 0;
  for (const file of filesIn(envelope.data)) {
    const content = contents.has(file.ref) ? null : await contentOf(store, file, MOST_BYTES - bytes);
    if (content === null) continue;
    bytes += content.byteLength;
    contents.set(file.ref, Buffer.from(content).toString('base64'));
  }
  return contents.size === 0 ? envelope : { ...envelope, data: withContents(envelope.data, contents) };
}

/** Null: it is not ours, too large, or not there any more; its address says so to whoever asks. */
async function contentOf(store: Store, file: FileResult, room: number): Promise<Uint8Array | null> {
  if (!('url' in file) || !URL.canParse(file.url)) return null;
  const { searchParams } = new URL(file.url);
  const given = { ref: file.ref, expires: searchParams.get('expires') ?? '', signature: searchParams.get('signature') ?? '' };
  if (checkPresigned(store.derivedKey('presign'), given, Date.now()) !== 'good') return null;
  try {
    const stored = storedFile(await store.getPart(file.ref));
    if (stored === null || !(stored.size < INLINE_FILE_BYTES) || stored.size > room) return null;
    return await store.getBytes(stored.sha256);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not_found') return null;
    throw error;
  }
}
