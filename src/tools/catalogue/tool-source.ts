/**
 * Tools from outside of the app: other programs offer them, and may offer others tomorrow. What a turn finds
 * when it begins is pinned: each tool's version names exactly its definition and class, and any worker that
 * shares the store finds it again by that version, whatever the program offers by then.
 */
import type { Tool } from '../define/tool';

export { isFrom, SEPARATOR } from '../../shared/turn/tool-class';

export interface Offered {
  /** In a stable order: by server as they were asked for, then by name. */
  tools: Tool[];
  /** Servers that could not be asked, and of which nothing was known from before. */
  missing: string[];
}

export interface ToolSource {
  /** The servers that there are. */
  readonly servers: readonly string[];
  /** What these servers offer now. Never throws for a server that does not answer. */
  offered(servers: readonly string[]): Promise<Offered>;
  /** The tool of exactly this version, if one of these servers is its own; undefined: no worker has pinned such a one. */
  pinned(servers: readonly string[], name: string, version: string): Promise<Tool | undefined>;
  /** Ends connections and the programs that were started. */
  close(): Promise<void>;
}

/** Where no servers are configured. */
export const NO_SOURCE: ToolSource = {
  servers: [],
  offered: async (servers) => ({ tools: [], missing: [...servers] }),
  pinned: async () => undefined,
  close: async () => undefined,
};
