/**
 * Sends GET requests to EDGAR, one attempt each (the engine retries): through a disk cache, in the host's request slots, bounded in
 * time and size. A document that never changes is requested once; everything else is requested with the validator of the copy on
 * disk, so that most answers are a 304.
 *
 * Bodies are stored as received, compressed: the cache compares their size with Content-Length, which is that of the compressed
 * body.
 */
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ToolError } from 'holdfast/tools';
import type { Addresses } from './addresses';
import { cachedFetch, type CachedFetchOptions, type CachedResponse } from './cached-fetch';
import { badAnswer, rateLimitError, statusFailure, tooSlow, unreachable } from './failures';
import { HostPause } from './pause';
import { RequestSlots } from './request-rate-limit';

const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 3;

export interface HttpSettings {
  /** Names a person or company, with an e-mail address, as the SEC requires. */
  userAgent: string;
  /** Shared by all workers of the host: it holds the copies, the request slots and the pause. */
  cacheFolder: string;
  /** Time limit of one request, ms. Default 20,000. */
  timeoutMs?: number;
  /** Largest body, bytes, compressed or not. Default 64 MB. */
  maxBytes?: number;
}

export interface EdgarRequest {
  url: string;
  /** A document of a filing: it is requested only once. */
  unchanging?: boolean;
  /** The error for a 404. */
  absent(): ToolError;
}

export interface Answer {
  body: Buffer;
  url: string;
  /** When EDGAR sent it, or last confirmed that it is unchanged; ISO 8601. */
  checked: string;
}

export class EdgarHttp {
  private readonly slots: RequestSlots;
  private readonly pause: HostPause;
  private readonly maxBytes: number;

  constructor(
    private readonly settings: HttpSettings,
    private readonly addresses: Addresses,
  ) {
    this.slots = new RequestSlots(join(settings.cacheFolder, 'slots'));
    this.pause = new HostPause(join(settings.cacheFolder, 'pause'));
    this.maxBytes = settings.maxBytes ?? MAX_BYTES;
  }

  /** @throws ToolError by failures.ts, or `wanted.absent()`; the signal's reason when it aborts */
  async get(request: EdgarRequest, signal?: AbortSignal): Promise<Answer> {
    if (request.unchanging) {
      const diskAnswer = await this.fromDisk(request.url, signal);
      if (diskAnswer) return diskAnswer;
    }
    let url = request.url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      await this.waitForSlot(signal);
      const answer = await this.request(url, request, signal);
      if ('body' in answer) return answer;
      url = answer.redirect;
    }
    throw badAnswer(request.url, `it redirects more than ${MAX_REDIRECTS} times`);
  }

  /** Waits until this process may send a request. */
  private async waitForSlot(signal?: AbortSignal): Promise<void> {
    await this.mustNotPause();
    await this.slots.take(signal);
    await this.mustNotPause(); // EDGAR may have told another worker to wait meanwhile
  }

  private async mustNotPause(): Promise<void> {
    const waitMs = await this.pause.remaining();
    if (waitMs > 0) throw rateLimitError('EDGAR has asked the workers of this host to wait.', waitMs);
  }

  private async fromDisk(url: string, signal?: AbortSignal): Promise<Answer | null> {
    const limit = this.limit(signal);
    try {
      const response = await cachedFetch(url, this.options('only-if-cached', limit.signal));
      if (response.status !== 200) return null;
      return { body: await this.bodyOf(response, url, limit.signal), url, checked: whenKept(response) };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ToolError) throw error;
      return null; // no copy, or an unreadable one: request it
    } finally {
      limit.end();
    }
  }

  private async request(url: string, request: EdgarRequest, signal?: AbortSignal): Promise<Answer | { redirect: string }> {
    const limit = this.limit(signal);
    try {
      const response = await cachedFetch(url, this.options('no-cache', limit.signal));
      // The library answers with its old copy when the network fails. An old copy must not count as validated.
      if (response.headers.get('x-local-cache-status') === 'stale') throw new Error('no connection, or no answer');
      if (response.status === 200)
        return { body: await this.bodyOf(response, url, limit.signal), url, checked: new Date().toISOString() };
      if ([301, 302, 303, 307, 308].includes(response.status)) return { redirect: this.target(response, url) };
      if (response.status === 404) throw request.absent();
      const failure = statusFailure(response.status, url, response.headers.get('retry-after'));
      if (failure.detail.code === 'RATE_LIMITED') await this.pause.begin(failure.detail.retry_after_ms ?? 0);
      throw failure;
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.timedOut()) throw tooSlow(url, this.timeoutMs);
      if (error instanceof ToolError) throw error;
      throw unreachable(url, error);
    } finally {
      limit.end();
    }
  }

  private target(response: CachedResponse, url: string): string {
    const location = response.headers.get('location') ?? '';
    const target = URL.canParse(location, url) ? new URL(location, url).href : '';
    if (target === '' || !this.addresses.isEdgarUrl(target))
      throw badAnswer(url, `it redirects to ${JSON.stringify(location.slice(0, 200))}, which is not EDGAR`);
    return target;
  }

  private get timeoutMs(): number {
    return this.settings.timeoutMs ?? TIMEOUT_MS;
  }

  /** One signal for the caller's abort and our own time limit; `end` also drops a connection that is still open. */
  private limit(signal?: AbortSignal) {
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const controller = new AbortController();
    const parts = [timeout, controller.signal, ...(signal ? [signal] : [])];
    return { signal: AbortSignal.any(parts), timedOut: () => timeout.aborted, end: () => controller.abort() };
  }

  private options(cache: CachedFetchOptions['cache'], signal: AbortSignal): CachedFetchOptions {
    return {
      cache,
      signal,
      cachePath: join(this.settings.cacheFolder, 'http'),
      compress: false,
      redirect: 'manual',
      retry: false,
      headers: { 'user-agent': this.settings.userAgent, 'accept-encoding': 'gzip' },
    };
  }

  /** @throws ToolError `answer_too_large`, `bad_upstream_answer`; the error that ends the stream */
  private async bodyOf(response: CachedResponse, url: string, signal: AbortSignal): Promise<Buffer> {
    const body = response.body ? await this.collect(response.body, url, signal) : Buffer.alloc(0);
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding === 'identity') return body;
    if (encoding !== 'gzip') throw badAnswer(url, `it is encoded as ${JSON.stringify(encoding.slice(0, 40))}`);
    try {
      return await promisify(gunzip)(body, { maxOutputLength: this.maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw this.tooLarge(url);
      throw badAnswer(url, 'its compression is broken');
    }
  }

  private collect(stream: NodeJS.ReadableStream, url: string, signal: AbortSignal): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      stream.on('error', reject);
      stream.on('end', () => resolve(Buffer.concat(chunks)));
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= this.maxBytes) chunks.push(chunk);
        else reject(this.tooLarge(url));
      });
    });
  }

  private tooLarge(url: string): ToolError {
    const message = `EDGAR's answer to ${url} is larger than ${Math.floor(this.maxBytes / 1024 / 1024)} MB.`;
    return new ToolError('EXECUTION_ERROR', 'answer_too_large', message);
  }
}

function whenKept(response: CachedResponse): string {
  const time = Date.parse(response.headers.get('x-local-cache-time') ?? '');
  return new Date(Number.isNaN(time) ? Date.now() : time).toISOString();
}
