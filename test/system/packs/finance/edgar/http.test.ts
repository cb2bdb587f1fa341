import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { addressesOf } from '../../../../../packs/finance/src/edgar/addresses';
import { retryAfterMs } from '../../../../../src/shared/wire/waits';
import { EdgarHttp, type HttpSettings } from '../../../../../packs/finance/src/edgar/http';
import { notFound } from '../../../../../packs/finance/src/not-found';
import { startEdgar, type EdgarServer } from '../../../support/edgar-server';
import type { EdgarFiles } from '../../../support/edgar-files';
import { toolErrorOf } from '../../../../support/packs/finance/support';

const absent = () => notFound('nothing_there', 'nothing', 'hint');
const text = 'Kettles. '.repeat(2000);

let folder: string;
let server: EdgarServer;
let files: EdgarFiles;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-http-'));
  files = new Map([
    ['data/changing.json', { body: Buffer.from(text), etag: '"v1"' }],
    ['www/document.htm', { body: Buffer.from(text), lastModified: 'Fri, 06 Mar 2026 21:11:50 GMT' }],
  ]);
  server = await startEdgar(files);
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Each call is a client of its own, as a new process has it. */
const client = (more: Partial<HttpSettings> = {}) =>
  new EdgarHttp({ userAgent: 'Kettle Bank data@bank.example', cacheFolder: folder, ...more }, addressesOf(server.url));
const changing = () => ({ url: `${server.url}/data/changing.json`, absent });
const document = () => ({ url: `${server.url}/www/document.htm`, unchanging: true, absent });

describe('a request to EDGAR', () => {
  it('names who asks', async () => {
    expect((await client().get(changing())).body.toString()).toBe(text);
    expect(server.seen).toMatchObject([{ userAgent: 'Kettle Bank data@bank.example', status: 200 }]);
  });

  it('sends the validator of the copy on disk, which outlives the process; after a 304 it serves that copy', async () => {
    const first = await client().get(changing());
    const second = await client().get(changing());
    expect(second.body.equals(first.body)).toBe(true);
    expect(second.checked >= first.checked).toBe(true);
    expect(server.seen.map(({ ifNoneMatch, status }) => [ifNoneMatch, status])).toEqual([
      [undefined, 200],
      ['"v1"', 304],
    ]);
  });

  it('takes the new answer when EDGAR has one', async () => {
    await client().get(changing());
    files.set('data/changing.json', { body: Buffer.from('new'), etag: '"v2"' });
    expect((await client().get(changing())).body.toString()).toBe('new');
    expect((await client().get(changing())).body.toString()).toBe('new');
    expect(server.seen.map(({ status }) => status)).toEqual([200, 200, 304]);
  });

  it('never asks twice for a document of a filing, and says when it was fetched', async () => {
    const first = await client().get(document());
    server.misbehave((_request, response) => response.destroy());
    const second = await client().get(document());
    expect(second.body.equals(first.body)).toBe(true);
    expect(Math.abs(Date.parse(second.checked) - Date.parse(first.checked))).toBeLessThan(60_000);
    expect(server.seen).toHaveLength(1);
  });

  it('does not call the copy validated when EDGAR cannot be reached', async () => {
    await client().get(changing());
    server.misbehave((_request, response) => response.destroy());
    const { detail } = await toolErrorOf(client().get(changing()));
    expect(detail).toMatchObject({ code: 'NETWORK_ERROR', reason: 'edgar_unreachable' });
  });

  it.each([
    [400, 'EXECUTION_ERROR', 'edgar_refused_request'],
    [401, 'EXECUTION_ERROR', 'edgar_refused_request'],
    [403, 'PERMISSION_DENIED', 'edgar_refused'],
    [404, 'RESOURCE_NOT_FOUND', 'nothing_there'],
    [408, 'TIMEOUT', 'edgar_timeout'],
    [410, 'EXECUTION_ERROR', 'edgar_refused_request'],
    [429, 'RATE_LIMITED', 'edgar_rate_limited'],
    [500, 'NETWORK_ERROR', 'edgar_unavailable'],
    [503, 'NETWORK_ERROR', 'edgar_unavailable'],
    [204, 'EXECUTION_ERROR', 'bad_upstream_answer'],
  ])('that is answered %d is a %s, asked once', async (status, code, reason) => {
    server.misbehave((_request, response) => void response.writeHead(status).end());
    expect((await toolErrorOf(client().get(changing()))).detail).toMatchObject({ code, reason });
    expect(server.seen).toHaveLength(1);
  });

  it('that is refused says what the SEC demands', async () => {
    server.misbehave((_request, response) => void response.writeHead(403).end());
    const { detail } = await toolErrorOf(client().get(changing()));
    expect(detail.hint).toMatch(/HOLDFAST_EDGAR_USER_AGENT.*10 requests a second/);
    expect(detail.retryable).toBe(false);
  });

  it('pauses all workers of the host after a 429, for as long as EDGAR says', async () => {
    server.misbehave((_request, response) => void response.writeHead(429, { 'retry-after': '120' }).end());
    expect((await toolErrorOf(client().get(changing()))).detail.retry_after_ms).toBe(120_000);
    server.misbehave(null);
    const { detail } = await toolErrorOf(client().get(changing()));
    expect(detail).toMatchObject({ code: 'RATE_LIMITED' });
    expect(detail.retry_after_ms).toBeGreaterThan(60_000);
    expect(server.seen).toHaveLength(1);
  });

  it('that nobody answers is a network error: refused, reset, no such host', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    server.misbehave((_request, response) => response.destroy());
    const reset = changing().url;
    for (const url of [`http://127.0.0.1:${port}/data/x`, reset, 'http://no-such-host.invalid/data/x']) {
      const { detail } = await toolErrorOf(client().get({ url, absent }));
      expect(detail).toMatchObject({ code: 'NETWORK_ERROR', reason: 'edgar_unreachable' });
    }
  });

  it('has a time limit of its own, for the headers and for the body', async () => {
    server.misbehave(() => undefined);
    const slow = () => toolErrorOf(client({ timeoutMs: 300 }).get(changing()));
    expect((await slow()).detail).toMatchObject({ code: 'TIMEOUT', reason: 'edgar_timeout' });
    server.misbehave((_request, response) => void response.writeHead(200).write('half'));
    expect((await slow()).detail).toMatchObject({ code: 'TIMEOUT', reason: 'edgar_timeout' });
  });

  it('ends with the call that it belongs to', async () => {
    const cancel = new AbortController();
    server.misbehave(() => cancel.abort(new Error('cancelled')));
    await expect(client().get(changing(), cancel.signal)).rejects.toThrow('cancelled');
  });
});

describe('a hostile answer', () => {
  it('that is cut off is a network error, and is not kept', async () => {
    server.misbehave((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('half');
      setTimeout(() => response.destroy(), 50);
    });
    expect((await toolErrorOf(client().get(document()))).detail).toMatchObject({ code: 'NETWORK_ERROR' });
    server.misbehave(null);
    expect((await client().get(document())).body.toString()).toBe(text);
  });

  it('that is too large is refused, as it comes or unpacked', async () => {
    const maxBytes = 100_000;
    server.misbehave((_request, response) => void response.end(Buffer.alloc(maxBytes + 1)));
    expect((await toolErrorOf(client({ maxBytes }).get(changing()))).detail.reason).toBe('answer_too_large');
    server.misbehave((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(maxBytes * 50)));
    });
    expect((await toolErrorOf(client({ maxBytes }).get(changing()))).detail.reason).toBe('answer_too_large');
  });

  it.each([
    ['broken compression', { 'content-encoding': 'gzip' }],
    ['an encoding that nobody asked for', { 'content-encoding': 'br' }],
  ])('with %s is refused', async (_what, headers) => {
    server.misbehave((_request, response) => void response.writeHead(200, headers).end('no gzip'));
    expect((await toolErrorOf(client().get(changing()))).detail.reason).toBe('bad_upstream_answer');
  });

  it.each(['https://evil.example/x', '//evil.example/data/', '/other/x', 'file:///etc/passwd'])(
    'that redirects to %j is not followed',
    async (location) => {
      server.misbehave((_request, response) => void response.writeHead(302, { location }).end());
      expect((await toolErrorOf(client().get(changing()))).detail.reason).toBe('bad_upstream_answer');
      expect(server.seen).toHaveLength(1);
    },
  );

  it('that redirects within EDGAR is followed, but not for ever', async () => {
    server.misbehave((_request, response) => void response.writeHead(301, { location: '/www/document.htm' }).end(), 'changing');
    expect((await client().get(changing())).body.toString()).toBe(text);
    server.misbehave((_request, response) => void response.writeHead(302, { location: '/data/changing.json' }).end());
    expect((await toolErrorOf(client().get(changing()))).message).toContain('redirects more than 3 times');
  });
});

describe('Retry-After', () => {
  it('is seconds or a date', () => {
    expect(retryAfterMs('7')).toBe(7000);
    expect(retryAfterMs(null)).toBeUndefined();
    expect(retryAfterMs('soon')).toBeUndefined();
    expect(retryAfterMs('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(0);
    expect(retryAfterMs(new Date(Date.now() + 90_000).toUTCString())).toBeGreaterThan(80_000);
  });
});
