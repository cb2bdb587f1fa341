/**
 * The connection of one worker process to one MCP server. It connects when it is first used and again after a loss, with growing
 * pauses while the server cannot be reached. Every wait is limited.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { JsonObject } from '../../shared/json/json';
import { shortWithoutSecrets, withoutSecrets } from '../../shared/text/secrets';
import { version } from '../../version';
import type { ToolLogger } from '../../tools/define/tool';
import { type ListedTool, usableTools } from '../listed-tool';
import type { ServerConfig } from '../servers-file';
import { inSpan, traceFields } from '../../telemetry/traces/api';
import { UnnamedHost } from './bounded-fetch';
import { examiner, isTimeout } from './examiner';
import { callResourceTool, resourceTools } from './resources';
import { sdk, type Client, type Transport } from './sdk';
import { transportTo } from './transport';
import { errorMessage } from '../../shared/text/error-message';

export interface ConnectionSettings {
  log: ToolLogger;
  loginFolder: string;
  /** Longest wait for a connection, ms, instead of the server's own. */
  waitMs?: number;
  /** First pause after a failed attempt, ms; it doubles, up to 30 s. */
  pauseMs?: number;
  /** Longest time for the whole list of tools, ms. */
  listMs?: number;
}

export interface Calling {
  signal: AbortSignal;
  /** Sent along with the call: the server may recognize a repeated call by its idempotency key. */
  meta: JsonObject;
  progress(message: string, fraction?: number): void;
  /** The call must not be repeated, not by the SDK either. */
  once?: boolean;
  /** Called right before the server may act. */
  sending?(): void;
}

/** The server cannot be reached, and the request was not sent. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

const WAIT_MS = 10_000;
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const LIST_MS = 15_000;
const MOST_PAGES = 50;
const MOST_TOOLS = 1000;
/** The call's own limits end it (`tools/run/run.ts`); the SDK requires a number. */
const NO_TIMEOUT = 2 ** 31 - 1;
const KEPT_STDERR = 600;
const KEPT_TOKENS = 4;

/** Lenient: one invalid tool is left out and does not hide the others. */
const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(10_000).optional() });
const RESULT = z.looseObject({});

export class Connection {
  private client: Promise<Client> | null = null;
  private failures = 0;
  private notBefore = 0;
  private listing: Promise<ListedTool[]> | null = null;
  private last: { tools: ListedTool[]; from: Client; stale: boolean } | null = null;
  /** How often the server has announced that its tools changed. */
  private changes = 0;
  private isClosed = false;
  private stderr = '';
  private why = '';
  /** Tokens of logins, the latest first. A call that began before a refresh may still echo an older one. */
  private tokens: string[] = [];
  private readonly once = new WeakSet<object>();
  /** Names of the last list that are no tools of the server itself. */
  private resourceTools: ReadonlySet<unknown> = new Set();

  constructor(
    readonly server: ServerConfig,
    private readonly settings: ConnectionSettings,
  ) {}

  /** The last list, whether the server can be reached now or not; null: no list yet. */
  get lastToolList(): ListedTool[] | null {
    return this.last?.tools ?? null;
  }

  /**
   * The server's tools. Concurrent callers share one answer.
   * @param fresh false: the last list of this connection is enough, unless the server has announced a change since
   * @throws Unreachable; errors of the SDK
   */
  async tools(fresh: boolean): Promise<ListedTool[]> {
    const client = await this.waitForClient();
    if (!fresh && this.last?.from === client && !this.last.stale) return this.last.tools;
    return (this.listing ??= this.list(client).finally(() => (this.listing = null)));
  }

  /** @returns the server's result, not validated. @throws Unreachable; errors of the SDK */
  async call(tool: string, input: JsonObject, { signal, meta, progress, once = false, sending }: Calling): Promise<JsonObject> {
    const client = await this.waitForClient();
    const params = { name: tool, arguments: input };
    const onprogress = ({ progress: done, total, message }: { progress: number; total?: number; message?: string }) =>
      progress(this.short(message ?? `${done}${total === undefined ? '' : ` of ${total}`}`, 500), fractionOf(done, total));
    signal.throwIfAborted(); // right before it is sent: connecting may have taken a while
    sending?.();
    if (this.resourceTools.has(tool)) return callResourceTool(client, tool, input, signal);
    if (once) this.once.add(input);
    const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool, 'holdfast.server': this.server.name };
    return inSpan(`tools/call ${tool}`, { kind: 'client', attributes }, async () => {
      const request = { method: 'tools/call', params: { ...params, _meta: { ...meta, ...traceFields() } } };
      const answer = await client.request(request, RESULT, { signal, timeout: NO_TIMEOUT, onprogress });
      return answer as JsonObject;
    });
  }

  /** Closes the connection: pending requests fail, and the next request connects again. */
  async drop(why: string): Promise<void> {
    const { client } = this;
    this.client = null;
    if (!client) return;
    this.settings.log.warn({ server: this.server.name, why: this.short(why, 500) }, 'the connection to an MCP server was lost');
    await client.then((open) => open.close()).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { client } = this;
    this.client = null;
    await client?.then((open) => open.close()).catch(() => undefined);
  }

  /** Removes secrets: a server may echo what it was sent. */
  readonly clean = (text: string): string => withoutSecrets(text, [...this.server.secrets, ...this.tokens]);

  /** Also cuts the text. Only the beginning of a long text is read. */
  readonly short = (text: string, longest: number): string =>
    shortWithoutSecrets(text, longest, [...this.server.secrets, ...this.tokens]);

  private get waitMs(): number {
    return this.settings.waitMs ?? this.server.connectTimeoutMs ?? WAIT_MS;
  }

  private async waitForClient(): Promise<Client> {
    const until = Date.now() + this.waitMs;
    for (;;) {
      if (this.isClosed) throw new Unreachable('this worker is stopping');
      const leftMs = until - Date.now();
      const pause = this.client === null ? this.notBefore - Date.now() : 0;
      if (pause > 0) {
        if (pause >= leftMs) throw this.unreachable();
        await sleep(pause);
        continue;
      }
      const attempt = (this.client ??= this.attempt());
      const client = await Promise.race([
        attempt.catch(untilMended),
        sleep(Math.max(leftMs, 0), 'late' as const, { ref: false }),
      ]);
      if (client === 'late') throw this.unreachable();
      if (client !== null) return client;
    }
  }

  private async attempt(): Promise<Client> {
    const client = new (sdk.client().Client)({ name: 'holdfast', version }, { capabilities: {} });
    try {
      this.stderr = '';
      const transport = await transportTo(this.server, this.settings.loginFolder, {
        said: (text) => void (this.stderr = `${this.stderr}${text}`.slice(-KEPT_STDERR)),
        sent: (token) => {
          if (!this.tokens.includes(token)) this.tokens = [token, ...this.tokens].slice(0, KEPT_TOKENS);
        },
      });
      await client.connect(limitReplies(sendingOnce(transport, this.once)), { timeout: this.waitMs });
    } catch (error) {
      this.recordFailure(error);
      await client.close().catch(() => undefined);
      throw error;
    }
    this.failures = 0;
    client.onclose = () => this.handleDisconnect(client, 'it closed the connection');
    // The end of a program closes its connection.
    if (this.server.transport !== 'stdio') client.onerror = examiner(client, (why) => this.handleDisconnect(client, why));
    client.setNotificationHandler(sdk.types().ToolListChangedNotificationSchema, () => {
      this.changes += 1;
      if (this.last?.from === client) this.last.stale = true;
    });
    return client;
  }

  private recordFailure(error: unknown): void {
    this.client = null;
    const output = this.stderr.trim() === '' ? '' : `; it printed: ${this.stderr.trim()}`;
    const message = isTimeout(error) ? this.tooLate() : errorMessage(error);
    this.why = this.short(`${message}${output}`, 1000);
    const pause = Math.min((this.settings.pauseMs ?? PAUSE_MS) * 2 ** this.failures, LONGEST_PAUSE_MS);
    this.failures += 1;
    this.notBefore = Date.now() + pause;
    this.settings.log.warn(
      { server: this.server.name, failures: this.failures, why: this.why, pause_ms: pause },
      'an MCP server cannot be reached',
    );
  }

  private tooLate(): string {
    return `it has not answered within ${this.waitMs / 1000} s; connect_timeout_ms in the servers' file gives it more`;
  }

  private handleDisconnect(client: Client, why: string): void {
    const drop = this.client?.then(async (present) => (present === client ? this.drop(why) : undefined));
    drop?.catch(() => undefined);
  }

  private unreachable(): Unreachable {
    const why = this.why || this.tooLate();
    return new Unreachable(`The MCP server ${this.server.name} cannot be reached: ${why}`);
  }

  private async list(client: Client): Promise<ListedTool[]> {
    const { changes } = this; // a change announced from now on makes this list stale
    if (this.last?.from === client) this.last.stale = false;
    const tools = await usableTools(this.server.name, this.listedTools(client), this.lastToolList ?? [], (why) =>
      this.settings.log.warn({ server: this.server.name, why: this.short(why, 1000) }, 'a tool of an MCP server cannot be used'),
    );
    this.last = { tools, from: client, stale: this.changes !== changes };
    return tools;
  }

  /** Untrusted definitions. A page is requested when all tools of the page before it were taken, so no two are in memory. */
  private async *listedTools(client: Client): AsyncGenerator<unknown> {
    const own = new Map<unknown, JsonObject>(this.server.resources ? resourceTools(client) : []);
    let leftMs = this.settings.listMs ?? LIST_MS;
    let count = 0;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && count < MOST_TOOLS; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const since = performance.now();
      const answer = await client.request({ method: 'tools/list', params }, PAGE, { timeout: Math.max(1, leftMs) });
      leftMs -= performance.now() - since;
      const tools = answer.tools.slice(0, MOST_TOOLS - count);
      count += tools.length;
      for (const tool of tools) own.delete(nameOf(tool));
      yield* tools;
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    this.resourceTools = new Set(own.keys());
    yield* own.values();
  }
}

function nameOf(tool: unknown): unknown {
  return typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined;
}

/** Null: another attempt may succeed. Throws at once what only a person can fix. */
function untilMended(error: unknown): null {
  if (error instanceof sdk.auth().UnauthorizedError) throw error;
  if (error instanceof UnnamedHost) throw new Unreachable(error.message);
  return null;
}

/** Undefined if the server gives no total, or an invalid one. */
function fractionOf(progress: number, total: number | undefined): number | undefined {
  const fraction = total === undefined ? NaN : progress / total;
  return fraction >= 0 && fraction <= 1 ? fraction : undefined;
}

// The SDK's transports resend a message by themselves, after a login that the server's answer (401, 403) asked for. A call with
// effects must not be resent: the server may have acted before it answered.

/** The server asked for a new login after it got the call. */
export class NotSentAgain extends Error {
  override readonly name = 'NotSentAgain';
  constructor() {
    super('the server received the call and then asked for a new login; the login was renewed, but the call was not sent again');
  }
}

/** @param once arguments of the calls that are sent only once; compared by identity */
export function sendingOnce(transport: Transport, once: WeakSet<object>): Transport {
  const send = transport.send.bind(transport);
  const requests = new WeakSet<object>();
  transport.send = (message, options) => {
    const input: unknown = 'params' in message ? message.params?.arguments : undefined;
    if (typeof input === 'object' && input !== null && once.has(input)) {
      if (requests.has(input)) return Promise.reject(new NotSentAgain());
      requests.add(input);
    }
    return send(message, options);
  };
  return transport;
}

const MOST_REPLIES = 10;

/** A server may send any number of requests. While ten replies to it are being sent, further requests get none. */
function limitReplies(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  let replies = 0;
  transport.send = async (message, options) => {
    if ('method' in message) return send(message, options);
    if (replies === MOST_REPLIES) return;
    replies += 1;
    try {
      await send(message, options);
    } finally {
      replies -= 1;
    }
  };
  return transport;
}
