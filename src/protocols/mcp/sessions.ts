/** Keeps the MCP sessions of this process. Each belongs to one principal, and does not exist for any other. */
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Principal } from '../../gateway/auth/principals';
import { RecentEvents } from './wait-for-turn';
import type { Offers } from './offers';
import { sdk, type WebStandardStreamableHTTPServerTransport } from './sdk';
import { createMcpEndpoint, type McpEndpoint, type McpParts } from './server';

export interface Session {
  readonly id: string;
  /** As of the last request: roles may change. */
  principal: Principal;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly events: RecentEvents;
  readonly endpoint: McpEndpoint;
  /** Requests that are being answered. */
  requests: number;
  usedAt: number;
}

export interface SessionLimits {
  perPrincipal: number;
  inAll: number;
  idleMs: number;
}

const LIMITS: SessionLimits = { perPrincipal: 50, inAll: 2000, idleMs: 30 * 60_000 };
const LOOK_EVERY_MS = 2000;
/** How long a client waits before it reconnects, ms. */
const RETRY_MS = 1000;

/** The parts of a session's endpoint; they read the session when they are used. */
export type PartsOf = (session: () => Session) => McpParts;

export class Sessions {
  private readonly open = new Map<string, Session>();
  private readonly offersById = new Map<string, Offers>();
  private readonly timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();

  constructor(private readonly limits: SessionLimits = LIMITS) {}

  /** A session that is about to be initialized, and is known from then on. @returns null: there are too many */
  async begin(principal: Principal, partsOf: PartsOf): Promise<Session | null> {
    if (!this.makeRoom(principal.name)) return null;
    const id = randomUUID();
    const events = new RecentEvents(() => this.eventsOfAll());
    const transport = new (sdk.http().WebStandardStreamableHTTPServerTransport)({
      sessionIdGenerator: () => id,
      eventStore: events,
      retryInterval: RETRY_MS,
      onsessioninitialized: () => {
        this.open.set(id, session);
        this.offersById.set(id, endpoint.offers());
      },
    });
    const endpoint = createMcpEndpoint(partsOf(() => session));
    const session: Session = { id, principal, transport, events, endpoint, requests: 0, usedAt: Date.now() };
    transport.onclose = () => {
      endpoint.leave();
      this.open.delete(id);
      this.offersById.delete(id);
    };
    await endpoint.server.connect(transport);
    return session;
  }

  /** Null: there is no such session, or it belongs to another principal. */
  of(id: string, principal: Principal): Session | null {
    const session = this.open.get(id);
    if (session?.principal.name !== principal.name) return null;
    session.principal = principal;
    session.usedAt = Date.now();
    return session;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.open.values()].map(({ transport }) => transport.close()));
  }

  private *eventsOfAll(): Iterable<RecentEvents> {
    for (const { events } of this.open.values()) yield events;
  }

  /** Closes the session that was idle longest, if there are too many. */
  private makeRoom(principal: string): boolean {
    const own = [...this.open.values()].filter((session) => session.principal.name === principal);
    const full =
      own.length >= this.limits.perPrincipal ? own : this.open.size >= this.limits.inAll ? [...this.open.values()] : null;
    if (full === null) return true;
    const [oldest] = full.filter(isIdle).sort((a, b) => a.usedAt - b.usedAt);
    void oldest?.transport.close();
    return oldest !== undefined;
  }

  /** Closes sessions that were unused for long; notifies the others when the offered tools have changed. */
  private async look(): Promise<void> {
    for (const session of this.open.values())
      if (isIdle(session) && Date.now() - session.usedAt > this.limits.idleMs) await session.transport.close();
      else await this.tellChanges(session);
  }

  private async tellChanges({ id, endpoint }: Session): Promise<void> {
    const now = endpoint.offers();
    if (now === this.offersById.get(id)) return;
    this.offersById.set(id, now);
    await endpoint.server.sendToolListChanged().catch(() => undefined);
  }
}

function isIdle({ requests, endpoint }: Session): boolean {
  return requests === 0 && endpoint.open() === 0;
}

// The MCP server for the one client at this process's standard streams. Standard output carries the protocol and nothing else.

/**
 * @param output from `protocolOnly`
 * @returns when the client is gone, or `stop` resolves
 */
export async function serveStdio(parts: McpParts, output: Writable, stop: Promise<unknown>): Promise<void> {
  const endpoint = createMcpEndpoint(parts);
  const transport = new (sdk.stdio().StdioServerTransport)(process.stdin, output);
  const disconnect = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    transport.onclose = () => resolve();
  });
  await endpoint.server.connect(transport);
  await Promise.race([disconnect, stop]);
  endpoint.leave();
  await endpoint.server.close();
}

/**
 * Reserves standard output for the protocol: all other writers, such as the user's own app, from now on write to standard error.
 */
export function protocolOnly(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return new Writable({ write: (chunk: Buffer, _encoding, callback) => void write(chunk, callback) });
}
