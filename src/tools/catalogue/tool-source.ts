/**
 * The interface to tools from outside of the app: other programs (MCP servers) offer them, and may change them. The tools that a
 * turn finds when it begins are pinned: a tool's version identifies its exact definition and class, and every worker that shares
 * the store finds the tool by that version, even if the program no longer offers it.
 */
import type { Tool } from '../define/tool';

export { isFrom, SEPARATOR } from '../../shared/turn/tool-class';

export interface Offered {
  /** In a stable order: by server in the order requested, then by name. */
  tools: Tool[];
  /** Servers that did not answer, and whose tools are not known from an earlier answer. */
  missing: string[];
}

export interface ToolSource {
  /** Names of the configured servers. */
  readonly servers: readonly string[];
  /** The tools that these servers offer now. Does not throw for a server that does not answer. */
  offered(servers: readonly string[]): Promise<Offered>;
  /** The tool of exactly this version, if it belongs to one of these servers; undefined: no worker has pinned it. */
  pinned(servers: readonly string[], name: string, version: string): Promise<Tool | undefined>;
  /** Closes connections and ends the server programs that were started. */
  close(): Promise<void>;
}

/** The tool source where no servers are configured. */
export const NO_SOURCE: ToolSource = {
  servers: [],
  offered: async (servers) => ({ tools: [], missing: [...servers] }),
  pinned: async () => undefined,
  close: async () => undefined,
};
