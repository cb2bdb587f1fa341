/** Offers the tools of MCP servers to a worker's turns: lists them, pins them and runs their calls. */
import { LRUCache } from 'lru-cache';
import { checkPackage } from '../optional-package';
import { getOwn, type JsonObject } from '../shared/json/json';
import type { Store } from '../store/store';
import { ConversionError, toolFromDefinition } from '../tools/convert';
import { ToolError } from '../tools/define/errors';
import type { Offered, ToolSource } from '../tools/catalogue/tool-source';
import {
  acceptedClass,
  readAcceptedTools,
  readTrustedErrors,
  type AcceptedTools,
  type TrustedErrors,
  pin,
  pinnedAs,
  type PinnedTool,
} from './accepted-file';
import { classOf, stricter, type AcceptableClass, importedTool, type ListedTool, toolName, pauses } from './listed-tool';
import { Connection, type ConnectionSettings } from './connection/connection';
import { answerCode, failureOf } from './connection/failures';
import { resultData, structuredFault, type McpData } from './result';
import type { ServerConfig } from './servers-file';
import { targetOf } from './target';
import { hashJson } from '../shared/json/digests';
import type { Tool, ToolContext, ToolLogger } from '../tools/define/tool';
import { optional } from '../shared/json/optional';

export interface McpSettings extends Omit<ConnectionSettings, 'log'> {
  servers: readonly ServerConfig[];
  /** File of the accepted classes; read again at each use. */
  accepted: string;
  store: Store;
  log: ToolLogger;
}

const TOOL_CACHE_SIZE = 2000;

export class McpServers implements ToolSource {
  private readonly connections: ReadonlyMap<string, Connection>;
  /** Version → tool. */
  private readonly toolCache = new LRUCache<string, Tool>({ max: TOOL_CACHE_SIZE });

  /** @throws PackageMissing */
  constructor(private readonly settings: McpSettings) {
    if (settings.servers.length > 0) checkPackage('@modelcontextprotocol/sdk', 'An MCP server', 'client/index.js');
    this.connections = new Map(settings.servers.map((server) => [server.name, new Connection(server, settings)]));
  }

  get servers(): string[] {
    return [...this.connections.keys()];
  }

  async offered(servers: readonly string[]): Promise<Offered> {
    const acceptedTools = await this.loadAcceptedTools();
    const lists = await Promise.all(servers.map((server) => this.listTools(server)));
    const listings = servers.flatMap((server, index) =>
      (lists[index] ?? []).toSorted(byName).map((tool): [string, ListedTool] => [server, tool]),
    );
    const pinnedTools = await Promise.all(listings.map(([server, tool]) => this.toPinned(server, tool, acceptedTools)));
    const tools: Tool[] = [];
    const pause = pauses();
    for (const one of pinnedTools) {
      await pause();
      const tool = this.toolCache.get(one.version) ?? this.usable(one);
      if (tool !== null) tools.push(tool);
    }
    return {
      tools,
      missing: servers.filter((_server, index) => lists[index] === null),
    };
  }

  async pinned(servers: readonly string[], name: string, version: string): Promise<Tool | undefined> {
    const cachedTool = this.toolCache.get(version);
    const pinnedTool = await pinnedAs(this.settings.store, version);
    if (
      !pinnedTool ||
      !servers.includes(pinnedTool.server) ||
      toolName(pinnedTool.server, String(pinnedTool.definition.name)) !== name
    )
      return undefined;
    return cachedTool ?? this.make(pinnedTool, version);
  }

  async close(): Promise<void> {
    await Promise.all([...this.connections.values()].map((connection) => connection.close()));
  }

  /** The accepted classes. If they cannot be read, every tool is destructive. */
  private async loadAcceptedTools(): Promise<AcceptedTools> {
    try {
      return await readAcceptedTools(this.settings.accepted);
    } catch (error) {
      this.settings.log.error(
        { err: error, todo: 'Mend the file of accepted classes; until then every MCP tool is destructive.' },
        'no accepted classes',
      );
      return {};
    }
  }

  /** Whether a person has accepted that this answer of the server means that it has not acted. */
  private async isTrusted(server: string, error: unknown): Promise<boolean> {
    const code = answerCode(error);
    const trustedErrors = code === null ? {} : await readTrustedErrors(this.settings.accepted).catch(() => ({}));
    return code !== null && getOwn(getOwn<TrustedErrors[string]>(trustedErrors, server) ?? {}, code) !== undefined;
  }

  /** The list of now, else the last known one; null: the server was never reached. */
  private async listTools(server: string): Promise<ListedTool[] | null> {
    const connection = this.connections.get(server);
    if (!connection) return null;
    try {
      return await connection.tools(true);
    } catch (error) {
      this.settings.log.warn(
        { server, why: failureOf(connection, error, true).message },
        'an MCP server did not list its tools: the turn begins with the last known list, if there is one',
      );
      return connection.lastToolList;
    }
  }

  private async toPinned(
    server: string,
    tool: ListedTool,
    acceptedTools: AcceptedTools,
  ): Promise<{ pinned: PinnedTool; version: string }> {
    const toolClass = classOf(acceptedClass(acceptedTools, server, tool), tool.definition.annotations);
    const pinnedTool: PinnedTool = { server, class: toolClass, definition: tool.definition };
    return { pinned: pinnedTool, version: await pin(this.settings.store, pinnedTool) };
  }

  /** Null: the definition cannot be converted to a tool. */
  private usable({ pinned, version }: { pinned: PinnedTool; version: string }): Tool | null {
    const { server, definition } = pinned;
    try {
      return this.make(pinned, version);
    } catch (error) {
      if (error instanceof Error && /not well defined|cannot be taken/.test(error.message)) {
        this.settings.log.warn(
          { server, tool: String(definition.name).slice(0, 100), why: error.message.slice(0, 1000) },
          'a tool of an MCP server cannot be used',
        );
        return null;
      }
      throw error;
    }
  }

  private make(pinnedTool: PinnedTool, version: string): Tool {
    const { server, definition } = pinnedTool;
    const { value } = importedTool(server, definition);
    // `read` checks the output: the schema covers only a part of what the tool returns here.
    const { output: _output, ...json } = value;
    const timeoutMs = this.connections.get(server)?.server.timeoutMs;
    const tool = toolFromDefinition(
      {
        ...json,
        version,
        class: pinnedTool.class,
        group: server,
        egress: true, // its input leaves this process
        streaming: true,
        ...optional({ timeout_ms: timeoutMs }),
      },
      (input: JsonObject, ctx: ToolContext) => this.run(pinnedTool, input, ctx),
      { target: () => this.targetOf(server) },
    );
    this.toolCache.set(version, tool);
    return tool;
  }

  private targetOf(server: string): JsonObject {
    const { store, loginFolder } = this.settings;
    return targetOf(server, this.connections.get(server), { key: store.derivedKey('mcp-target', 'store'), loginFolder });
  }

  private async run(pinnedTool: PinnedTool, input: JsonObject, ctx: ToolContext): Promise<McpData> {
    const { server, class: toolClass, definition } = pinnedTool;
    const connection = this.connections.get(server);
    if (!connection)
      throw new ToolError('TOOL_NOT_FOUND', 'server_gone', `This worker knows no MCP server ${server} any more.`, {
        nothingHappened: true,
      });
    const name = String(definition.name);
    await ctx.network(() => this.checkAgainstPin(connection, pinnedTool, name));
    let wasSent = false;
    const meta = { 'holdfast/idempotency_key': ctx.idempotencyKey };
    const calling = {
      signal: ctx.signal,
      meta,
      progress: ctx.progress,
      once: toolClass === 'destructive',
      sending: () => void (wasSent = true),
    };
    const result = await ctx
      .network(() => connection.call(name, input, calling))
      .catch(async (error: unknown) => {
        if (wasSent) ctx.signal.throwIfAborted();
        throw failureOf(connection, error, !wasSent || (await this.isTrusted(server, error)));
      });
    return this.read(connection, pinnedTool, result);
  }

  /** Checks that the server still has the pinned tool: the same definition, with a class that has not been withdrawn since. */
  private async checkAgainstPin(
    connection: Connection,
    { server, class: pinnedClass, definition }: PinnedTool,
    name: string,
  ): Promise<void> {
    const tools = await connection.tools(pinnedClass !== 'read').catch((error: unknown) => {
      throw failureOf(connection, error, true);
    });
    const now = tools.find((tool) => tool.name === name);
    const hint = 'Nothing was run. The next turn has the tools as they are by then.';
    const refuse = (code: 'TOOL_NOT_FOUND' | 'PERMISSION_DENIED', reason: string, message: string) => {
      throw new ToolError(code, reason, message, { hint, nothingHappened: true });
    };
    if (!now)
      return refuse('TOOL_NOT_FOUND', 'tool_gone', `MCP server ${server} no longer has the tool ${JSON.stringify(name)}.`);
    if (now.hash !== hashJson(definition))
      return refuse(
        'TOOL_NOT_FOUND',
        'tool_changed',
        `MCP server ${server} has changed the tool ${JSON.stringify(name)} since this turn began.`,
      );
    const present: AcceptableClass = classOf(
      acceptedClass(await this.loadAcceptedTools(), server, now),
      now.definition.annotations,
    );
    if (stricter(present, pinnedClass) !== pinnedClass)
      refuse(
        'PERMISSION_DENIED',
        'class_withdrawn',
        `The class ${pinnedClass} of ${server}'s tool ${JSON.stringify(name)} was taken back since this turn began.`,
      );
  }

  /** Converts a result. A destructive tool has acted even if its result is unreadable: the result is then kept, and marked. */
  private async read(connection: Connection, { class: toolClass, definition }: PinnedTool, result: JsonObject): Promise<McpData> {
    const name = toolName(connection.server.name, String(definition.name));
    const broken = (message: string, data: McpData = {}): McpData => {
      if (toolClass === 'destructive') return { unreadable_result: message, ...data };
      throw new ToolError('EXECUTION_ERROR', 'output_mismatch', message);
    };
    try {
      const data = resultData(result, (text) => connection.clean(text));
      const fault = await structuredFault(connection.server.name, name, getOwn(definition, 'outputSchema'), data);
      return fault === null ? data : broken(fault, data);
    } catch (error) {
      if (error instanceof ConversionError) return broken(error.message);
      throw error;
    }
  }
}

function byName(a: ListedTool, b: ListedTool): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
