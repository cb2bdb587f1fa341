/**
 * Sends one stream of server-sent events to one reader, no faster than the reader reads. A reader that has stopped reading is cut
 * off. It loses nothing: it reconnects with the id of the last event that it has. Format:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 * Also limits how many streams a principal may have open, and the gateway.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { onceTokenEnds } from '../auth/authenticate';
import { Refusal, type Wrong } from '../http/errors';
import { onceClosed } from '../http/observe';
import type { GatewayParts } from '../route';
import { type StreamSettings, STREAM_SETTINGS } from './settings';

export interface ServerSentEvent {
  /** Null: the data says what it is, as protocols have it that know no names of events. */
  event: string | null;
  /** Null: no reader can resume from it, and the reader's last id stays as it is. */
  id: string | null;
  data: object;
}

/** To readers who cannot resume, in the form of their protocol. */
export const TOKEN_OVER: Wrong = {
  code: 'UNAUTHORIZED',
  reason: 'no_principal',
  message: 'The token of this request has ended.',
  hint: 'What was begun goes on; ask for it again with a new token.',
};

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  // No request follows a stream, and a closing gateway need not wait for its connection.
  connection: 'close',
};

export class SseConnection {
  private readonly controller = new AbortController();
  private readonly raw: ServerResponse;
  private timer: NodeJS.Timeout | null = null;
  private readonly onDrain: () => void;

  /** @param draining aborts when the gateway is about to close */
  constructor(
    private readonly reply: FastifyReply,
    private readonly settings: StreamSettings,
    private readonly draining: AbortSignal,
  ) {
    this.raw = reply.raw;
    this.raw.on('error', () => this.release());
    this.onDrain = () => this.end('the gateway is closing; reconnect');
    draining.addEventListener('abort', this.onDrain, { once: true });
    onceClosed(reply, () => this.release());
  }

  /** Aborts when the reader is gone, or nothing more will be written. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /**
   * Sends the headers: from now on the answer is a stream, which ends when its token does.
   * @param last is sent then. Absent: the reader knows how to resume
   */
  open(last?: ServerSentEvent): void {
    if (this.raw.headersSent || this.controller.signal.aborted) return;
    this.reply.headers(HEADERS).hijack();
    this.raw.writeHead(200, this.reply.getHeaders() as Record<string, string>);
    this.raw.write(`retry: ${this.settings.retryMs}\n\n`);
    this.timer = setInterval(() => {
      if (!this.raw.writableNeedDrain) this.raw.write(': still here\n\n');
    }, this.settings.keepAliveMs);
    const look = { lookMs: this.settings.tokenLookMs, signal: this.signal };
    void onceTokenEnds(this.reply.request, look, () => {
      if (last !== undefined) this.write(last);
      this.end('the token has ended; reconnect with a new one');
    });
    if (this.draining.aborted) this.onDrain();
  }

  /** Resolves when the reader has room for more, or is gone. */
  async send(event: ServerSentEvent): Promise<void> {
    if (this.controller.signal.aborted) return;
    if (!this.write(event)) await this.room();
  }

  /** @param why sent as a comment, for a person who reads the raw stream */
  end(why?: string): void {
    this.release();
    if (this.raw.headersSent && !this.raw.writableEnded) this.raw.end(why === undefined ? undefined : `: ${why}\n\n`);
  }

  /** @returns whether the reader has room for more */
  private write({ event, id, data }: ServerSentEvent): boolean {
    const head = `${event === null ? '' : `event: ${event}\n`}${id === null ? '' : `id: ${id}\n`}`;
    // One line: JSON has no line breaks of its own.
    return this.raw.write(`${head}data: ${JSON.stringify(data)}\n\n`);
  }

  private release(): void {
    if (this.timer) clearInterval(this.timer);
    this.draining.removeEventListener('abort', this.onDrain);
    this.controller.abort();
  }

  private room(): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(stallTimer);
        this.raw.off('drain', finish);
        this.controller.signal.removeEventListener('abort', finish);
        resolve();
      };
      const stallTimer = setTimeout(() => {
        this.end('the client reads too slowly; reconnect');
        this.raw.destroy();
        finish();
      }, this.settings.stallMs);
      this.raw.once('drain', finish);
      this.controller.signal.addEventListener('abort', finish, { once: true });
    });
  }
}

// Counts the open streams, for one principal and in all.

const COME_BACK_MS = 5000;

const limitsByGateway = new WeakMap<GatewayParts, StreamLimits>();

/** One instance for a gateway, shared by all routes that stream. */
export function streamLimits(parts: GatewayParts): StreamLimits {
  const limits = limitsByGateway.get(parts) ?? new StreamLimits({ ...STREAM_SETTINGS, ...parts.streams });
  limitsByGateway.set(parts, limits);
  return limits;
}

export class StreamLimits {
  private readonly open = new Map<string, number>();
  private all = 0;

  constructor(private readonly settings: Pick<StreamSettings, 'perPrincipal' | 'inAll'>) {}

  /** @returns a function that gives the place back, once. @throws Refusal 429, 503 */
  take(principal: string): () => void {
    const { perPrincipal, inAll } = this.settings;
    const own = this.open.get(principal) ?? 0;
    if (own >= perPrincipal) {
      const message = `${principal} has ${own} streams open; ${perPrincipal} are allowed. Close some, or let those who watch share one.`;
      throw new Refusal({ code: 'RATE_LIMITED', reason: 'too_many_streams', message, retryAfterMs: COME_BACK_MS });
    }
    if (this.all >= inAll) {
      const message = 'This gateway has as many streams open as it can hold; try again in a moment, or another one.';
      throw new Refusal({ code: 'NETWORK_ERROR', reason: 'gateway_full', message, retryAfterMs: COME_BACK_MS });
    }
    this.open.set(principal, own + 1);
    this.all += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.all -= 1;
      const count = (this.open.get(principal) ?? 1) - 1;
      if (count > 0) this.open.set(principal, count);
      else this.open.delete(principal);
    };
  }
}
