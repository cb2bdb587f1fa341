/**
 * A live bus between processes that share a PostgreSQL database: NOTIFY on one channel per turn, LISTEN while the turn has a
 * subscriber. The bus opens one connection when it first needs it, and again after a loss. Events published without a connection
 * are lost.
 */
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { type LiveBus, type LiveListener, Listeners } from './bus';
import type { LiveEvent } from '../shapes/turn-event';
import { Outbox, type Parcel } from './outbox';
import { optionalPackage } from '../optional-package';
import { eventsOf, packetsOf } from './live-event-packets';
import { sha256Hex } from '../shared/json/sha256';
import { errorMessage } from '../shared/text/error-message';

/** NOTIFY takes payloads shorter than 8,000 bytes. */
const MOST_BYTES = 7_900;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const ANSWER_WITHIN_MS = 5_000;
/** Detects a peer that vanished without closing its connection. */
const LOOK_EVERY_MS = 30_000;

export interface PostgresLiveOptions {
  /** `postgres://…`. LISTEN does not work through a pooler that changes connections between transactions. */
  url: string;
  /** Temporal's namespace: turns of two namespaces may have the same id. */
  namespace: string;
  log: { warn(fields: object, message?: string): void };
}

export class PostgresLive implements LiveBus {
  private readonly listeners = new Listeners();
  private readonly outbox = new Outbox((parcel) => this.notify(parcel));
  private readonly name = randomBytes(6).toString('hex');
  private readonly channels = new Map<string, string>();
  private clientPromise: Promise<Client> | null = null;
  /** The client of `clientPromise`; errors of an earlier client are ignored. */
  private current: Client | null = null;
  private serial = 0;
  private pause = FIRST_PAUSE_MS;
  private notBefore = 0;
  private again: NodeJS.Timeout | null = null;
  private look: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(private readonly options: PostgresLiveOptions) {}

  publish(turnId: string, event: LiveEvent): void {
    this.outbox.add(turnId, event);
  }

  sent(): Promise<void> {
    return this.outbox.drain();
  }

  subscribe(turnId: string, listener: LiveListener): () => void {
    if (this.listeners.add(turnId, listener)) {
      const channel = this.channelOf(turnId);
      this.channels.set(channel, turnId);
      this.ask(`LISTEN ${channel}`);
    }
    return () => {
      if (!this.listeners.remove(turnId, listener)) return;
      const channel = this.channelOf(turnId);
      this.channels.delete(channel);
      if (this.clientPromise) this.ask(`UNLISTEN ${channel}`);
    };
  }

  async close(): Promise<void> {
    await this.outbox.close();
    this.isClosed = true;
    if (this.again) clearTimeout(this.again);
    if (this.look) clearInterval(this.look);
    const client = await this.clientPromise?.catch(() => null);
    this.clientPromise = null;
    await client?.end().catch(() => undefined);
  }

  /** A PostgreSQL identifier: at most 63 characters. It is a hash, so no text of the turn id gets into SQL. */
  private channelOf(turnId: string): string {
    const hash = sha256Hex(`${this.options.namespace}\n${turnId}`);
    return `holdfast_${hash.slice(0, 40)}`;
  }

  private async notify(parcel: Parcel): Promise<void> {
    const rows = [...parcel].flatMap(([turnId, events]) =>
      packetsOf(events, MOST_BYTES, () => `${this.name}-${this.serial++}`).map(
        (packet) => [this.channelOf(turnId), packet] as const,
      ),
    );
    const client = await this.connection();
    await client.query('SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS n(channel, payload)', [
      rows.map(([channel]) => channel),
      rows.map(([, packet]) => packet),
    ]);
  }

  /** Runs a command. A failed command is not repeated: the next connection listens for every turn with subscribers. */
  private ask(command: string): void {
    const before = this.clientPromise;
    void this.connection()
      .then((client) => (before ? client.query(command) : undefined))
      .catch(() => this.later());
  }

  /** @throws Error while the pause after a failure lasts, and once closed */
  private connection(): Promise<Client> {
    if (this.isClosed) return Promise.reject(new Error('closed'));
    if (this.clientPromise) return this.clientPromise;
    if (Date.now() < this.notBefore) return Promise.reject(new Error('not connected'));
    this.clientPromise = this.connect();
    return this.clientPromise;
  }

  private async connect(): Promise<Client> {
    const { Client } = optionalPackage<typeof import('pg')>('pg', 'PostgreSQL');
    const client = new Client({
      connectionString: this.options.url,
      application_name: 'holdfast live',
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
    });
    this.current = client;
    client.on('error', (error) => this.handleDisconnect(client, error));
    client.on('end', () => this.handleDisconnect(client, new Error('the connection has ended')));
    client.on('notification', ({ channel, payload }) => {
      const turnId = this.channels.get(channel);
      if (turnId !== undefined) for (const event of eventsOf(payload ?? '')) this.listeners.deliver(turnId, event);
    });
    try {
      await client.connect();
      // A subscriber that arrives while this connects sends its own LISTEN too. A second LISTEN on a channel has no effect.
      for (const turnId of this.listeners.turns()) await client.query(`LISTEN ${this.channelOf(turnId)}`);
    } catch (error) {
      this.handleDisconnect(client, error);
      throw error;
    }
    this.pause = FIRST_PAUSE_MS;
    this.look = setInterval(() => this.alive(client), LOOK_EVERY_MS);
    this.look.unref();
    return client;
  }

  private alive(client: Client): void {
    client.query('SELECT 1').catch((error: unknown) => this.handleDisconnect(client, error));
  }

  private handleDisconnect(client: Client, error: unknown): void {
    if (this.current !== client) return;
    this.current = null;
    this.clientPromise = null;
    void client.end().catch(() => undefined);
    if (this.isClosed) return;
    if (this.look) clearInterval(this.look);
    this.notBefore = Date.now() + this.pause;
    const todo =
      'Is the PostgreSQL of HOLDFAST_LIVE up, and reachable from here? Turns run on; only live text and progress are missing.';
    const err = errorMessage(error);
    if (this.pause === FIRST_PAUSE_MS)
      this.options.log.warn({ error: err, todo }, 'the connection for live events to PostgreSQL was lost');
    this.pause = Math.min(LONGEST_PAUSE_MS, this.pause * 2);
    this.later();
  }

  /** Reconnects after the pause, only if there are subscribers: a publisher connects again with its next event. */
  private later(): void {
    if (this.isClosed || this.again || this.listeners.turns().length === 0) return;
    this.again = setTimeout(
      () => {
        this.again = null;
        this.connection().catch(() => this.later());
      },
      Math.max(FIRST_PAUSE_MS, this.notBefore - Date.now()),
    );
    this.again.unref();
  }
}
