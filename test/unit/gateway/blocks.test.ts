import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { gatewayApp } from '../../../src/gateway/app';
import { GatewayUnavailable, serveGateway } from '../../../src/gateway/serve';
import { FileStore } from '../../../src/store/files/file-store';
import { presignature } from '../../../src/store/core/identity';
import { StoreServerError, type Store } from '../../../src/store/store';
import { gatewayParts, person } from '../../support/gateway';

const soon = () => Math.floor(Date.now() / 1000) + 60;

describe('the gateway', () => {
  const rita = person('rita', 'starter');
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-gateway-'));
  let store: Store;
  let app: ReturnType<typeof gatewayApp>;
  beforeAll(async () => {
    store = await FileStore.open(dir);
    app = gatewayApp(gatewayParts({ store, people: [rita] }));
  });
  afterAll(async () => {
    await app.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const stored = async (text: string, filename = 'Bericht “Ä”.pdf') => {
    const sha256 = await store.putBytes(Buffer.from(text));
    const file = { filename, content_type: 'application/pdf', size: text.length, sha256 };
    return { ref: await store.putPart('run', { turn_id: 't', call_id: '1.1', file }), sha256 };
  };
  const address = (ref: string, expires = soon(), signature = presignature(store.derivedKey('presign'), ref, expires)) =>
    `/v1/blocks/${ref}?expires=${expires}&signature=${signature}`;
  const get = (url: string) => app.inject({ method: 'GET', url });

  it('gives a file to anybody who has its address, for saving and not for opening', async () => {
    const { ref, sha256 } = await stored('%PDF-1.7');
    const response = await get(address(ref));
    expect(response).toMatchObject({ statusCode: 200, body: '%PDF-1.7' });
    expect(response.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '8',
      'content-disposition': `attachment; filename="Bericht ___.pdf"; filename*=UTF-8''Bericht%20%E2%80%9C%C3%84%E2%80%9D.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
      etag: `"${sha256}"`,
    });
    const head = await app.inject({ method: 'HEAD', url: address(ref) });
    expect(head).toMatchObject({ statusCode: 200, body: '' });
    expect(head.headers['content-length']).toBe('8');
  });

  it('refuses an address with a change in any place: 403, in the envelope', async () => {
    const { ref } = await stored('secret');
    const { ref: other } = await stored('other');
    const expires = soon();
    const signature = presignature(store.derivedKey('presign'), ref, expires);
    const forged = [
      `/v1/blocks/${ref}`,
      `/v1/blocks/${ref}?expires=${expires}`,
      `/v1/blocks/${ref}?signature=${signature}`,
      address(other, expires, signature),
      address(ref, expires + 1, signature),
      address(ref, expires, `${signature}=`),
      address(ref, expires, presignature(store.derivedKey('cursors'), ref, expires)),
      `/v1/blocks/${ref}?expires=0${expires}&signature=${signature}`,
      `/v1/blocks/${ref}?expires=${expires}&expires=${expires}&signature=${signature}`,
      `/v1/blocks/${ref}?expires=${expires}&signature[]=${signature}`,
      '/v1/blocks/..%2f..%2fsalt.key?expires=1&signature=x',
    ];
    for (const url of forged) {
      const response = await get(url);
      expect({ url, status: response.statusCode }).toEqual({ url, status: 403 });
      expect(response.json()).toMatchObject({
        success: false,
        status: 'error',
        error: { code: 'PERMISSION_DENIED', reason: 'bad_signature' },
        metadata: { timestamp: expect.any(String) },
      });
      expect(response.body).not.toContain('secret');
    }
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(...'abcXYZ019-_'), async (where, char) => {
        const at = where % signature.length;
        const changed = signature.slice(0, at) + char + signature.slice(at + 1);
        expect((await get(address(ref, expires, changed))).statusCode).toBe(changed === signature ? 200 : 403);
      }),
    );
  });

  it('says 410 once an address has expired, and only for a genuine one', async () => {
    const { ref } = await stored('old');
    const past = Math.floor(Date.now() / 1000);
    expect((await get(address(ref, past))).json()).toMatchObject({ error: { reason: 'link_expired' } });
    expect((await get(address(ref, past))).statusCode).toBe(410);
    expect((await get(address(ref, past, 'x'.repeat(43)))).statusCode).toBe(403);
  });

  it('answers 404 for an address without a file: another part, a directory trick, a file that is gone', async () => {
    const part = await store.putPart('run', { turn_id: 't', envelope: { success: true } });
    const gone = await store.putPart('run', { file: { filename: 'x', content_type: 'a/b', size: 1, sha256: 'f'.repeat(64) } });
    const trick = await store.putPart('run', { file: { filename: 'x', content_type: 'a/b', size: 1, sha256: '../salt.key' } });
    for (const ref of [part, gone, trick, 'f'.repeat(64), encodeURIComponent('../salt.key')]) {
      const expires = soon();
      const url = `/v1/blocks/${ref}?expires=${expires}&signature=${presignature(store.derivedKey('presign'), decodeURIComponent(ref), expires)}`;
      const response = await get(url);
      expect({ ref, status: response.statusCode }).toEqual({ ref, status: 404 });
      expect(response.json()).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND', reason: 'unknown_file' } });
    }
  });

  it('never serves a damaged file: 500, and the log says why', async () => {
    const { ref, sha256 } = await stored('genuine');
    writeFileSync(join(dir, 'bytes', sha256), 'forged!');
    const response = await get(address(ref));
    expect(response.statusCode).toBe(500);
    expect(response.json()).toMatchObject({ error: { code: 'EXECUTION_ERROR', reason: 'gateway_failed' } });
    expect(response.body).not.toContain(dir);
  });

  it.each([
    [true, 503, { code: 'NETWORK_ERROR', reason: 'store_unreachable', retryable: true }],
    [false, 500, { code: 'EXECUTION_ERROR', reason: 'gateway_failed', retryable: false }],
  ])('says whether the store may answer a little later (%s), and not what it said', async (isPassing, status, error) => {
    const { ref } = await stored('genuine');
    jest.spyOn(store, 'getPart').mockRejectedValueOnce(new StoreServerError('no database at db.internal', '57P01', isPassing));
    const response = await get(address(ref));
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ error });
    expect(response.headers['retry-after']).toBe(isPassing ? '5' : undefined);
    expect(response.body).not.toContain('db.internal');
  });

  it('answers /healthz, and unknown addresses in the envelope', async () => {
    expect((await get('/healthz')).json()).toEqual({ alive: true, pid: process.pid });
    expect((await get('/v1/nothing?secret=1')).json()).toMatchObject({
      success: false,
      error: { code: 'RESOURCE_NOT_FOUND', reason: 'unknown_route', message: 'There is no GET /v1/nothing here.' },
    });
    const headers = { ...rita.headers, 'content-type': 'application/json' };
    const answer = await app.inject({ method: 'POST', url: '/v1/turns', payload: '{', headers });
    expect(answer).toMatchObject({ statusCode: 400 });
    expect(answer.json()).toMatchObject({ success: false, error: { code: 'INVALID_PARAMS', reason: 'bad_request' } });
  });

  it('says what to do when its address is taken', async () => {
    const at = { host: '127.0.0.1', port: 0 };
    const first = await serveGateway(gatewayParts({ store }), at);
    const { port } = new URL(first.url);
    const second = serveGateway(gatewayParts({ store }), { ...at, port: Number(port) });
    await expect(second).rejects.toThrow(GatewayUnavailable);
    await expect(second).rejects.toThrow(/HOLDFAST_HTTP_PORT/);
    expect(await (await fetch(`${first.url}/healthz`)).json()).toMatchObject({ alive: true });
    await first.close();
  });
});
