/** The engine of the tests with MCP servers, and what a person has accepted of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  acceptedPath,
  Connection,
  McpServers,
  serverOf,
  writeAcceptedTools,
  type AcceptableClass,
  type AcceptedTools,
  type ServerEntry,
  type TrustedErrors,
} from '../../../../../src/mcp';
import { FileStore } from '../../../../../src/store/files/file-store';
import type { Store } from '../../../../../src/store/store';
import { capturedLog } from '../../../../support/captured-log';
import { withEngine, type Engine, type Setup } from '../../engine';
import type { ToolLogger } from '../../../../../src/tools/define/tool';

export interface ServersSetup {
  servers: Record<string, ServerEntry>;
  /** Server → tool → class that a person has accepted for it as it is. */
  accept?: Record<string, Record<string, AcceptableClass>> | undefined;
  /** Server → answers that a person has accepted as refusals. */
  trusted?: TrustedErrors | undefined;
  /** Read anew by each worker process. */
  env?: NodeJS.ProcessEnv | undefined;
  /** How long to wait for a server that does not answer. */
  waitMs?: number | undefined;
}

export type McpSetup = ServersSetup & Omit<Setup, 'store' | 'tools'>;

export interface Servers {
  outside: McpServers;
  told: ReturnType<typeof capturedLog>;
  folder: string;
  store: Store;
  /** Another worker process's view of the same servers, as after a restart. */
  another(): McpServers;
}

export interface McpEngine extends Engine, Servers {
  store: Store;
  /** From now on the worker has lost what only its process knew of the servers. */
  restarted(): Promise<void>;
}

/** The servers without an engine, to look at their tools and at the results of runs. */
export async function withServers(
  setup: ServersSetup,
  body: (servers: Servers & { log: ToolLogger }) => Promise<void>,
): Promise<void> {
  const { servers: entries, accept = {}, trusted = {}, env = {}, waitMs = 10_000 } = setup;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mcp-'));
  const read = () => Object.entries(entries).map(([name, entry]) => serverOf(name, entry, env));
  const told = capturedLog();
  const { log } = told;
  const store = await FileStore.open(join(folder, 'store'));
  const accepted = acceptedPath(join(folder, 'mcp.json'));
  const made: McpServers[] = [];
  const another = () => {
    const source = new McpServers({ servers: read(), accepted, loginFolder: folder, store, log, waitMs, pauseMs: 50 });
    made.push(source);
    return source;
  };
  try {
    await writeAcceptedTools(accepted, await accepting(read(), accept, log), trusted);
    await body({ outside: another(), told, folder, store, another, log });
  } finally {
    await Promise.all(made.map((source) => source.close()));
    await rm(folder, { recursive: true, force: true });
  }
}

export async function withMcp(setup: McpSetup, body: (engine: McpEngine) => Promise<void>): Promise<void> {
  const { servers: entries, accept, trusted, env, waitMs, agent, settings, ...rest } = setup;
  await withServers({ servers: entries, accept, trusted, env, waitMs }, async ({ log, ...servers }) => {
    let { outside } = servers;
    const present = {
      servers: outside.servers,
      offered: (...asked: Parameters<McpServers['offered']>) => outside.offered(...asked),
      pinned: (...asked: Parameters<McpServers['pinned']>) => outside.pinned(...asked),
      close: () => outside.close(),
    };
    const restarted = async () => {
      await outside.close();
      outside = servers.another();
    };
    await withEngine(
      {
        ...rest,
        ...{ store: servers.store, log },
        agent: { mcpServers: Object.keys(entries), ...agent },
        settings: { ...settings, outside: present },
      },
      (engine) => body({ ...engine, ...servers, restarted }),
    );
  });
}

/** What `holdfast mcp accept` would write, for the tools as they are now. */
export async function accepting(
  servers: ReturnType<typeof serverOf>[],
  accept: Record<string, Record<string, AcceptableClass>>,
  log: ToolLogger,
): Promise<AcceptedTools> {
  const accepted: AcceptedTools = {};
  for (const server of servers.filter(({ name }) => accept[name])) {
    const connection = new Connection(server, { log, loginFolder: tmpdir() });
    const listed = await connection.tools(true);
    await connection.close();
    accepted[server.name] = Object.fromEntries(
      Object.entries(accept[server.name]!).map(([tool, toolClass]) => {
        const { hash } = listed.find(({ name }) => name === tool)!;
        return [tool, { class: toolClass, hash, by: 'ana', at: '2026-01-01T00:00:00Z' }];
      }),
    );
  }
  return accepted;
}
