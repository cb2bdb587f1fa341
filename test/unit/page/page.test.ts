import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayApp } from '../../../src/gateway/app';
import { gatewayParts } from '../../support/gateway';

describe('the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  mkdirSync(join(folder, 'assets'));
  const files: Record<string, string> = {
    'index.html': '<!doctype html><script type="module" src="./assets/index-Bx7gQ2aZ.js"></script>',
    'assets/index-Bx7gQ2aZ.js': 'export {};',
    'assets/index-C0ffee00.css': 'body { margin: 0 }',
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'data.bin': 'x',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  symlinkSync('/etc/hostname', join(folder, 'link.txt'));
  const app = gatewayApp(gatewayParts({ pageFolder: folder }));
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

  it('is at /, with scripts, styles and connections of our own only, and in nobody’s frame', async () => {
    const { statusCode, headers, body } = await get('/');
    expect([statusCode, body]).toEqual([200, files['index.html']]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('publickey-credentials-get=(self)'),
    });
  });

  it.each([
    ['/assets/index-Bx7gQ2aZ.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/index-C0ffee00.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/icon.svg', 'image/svg+xml', 'no-cache'],
    ['/data.bin', 'application/octet-stream', 'no-cache'],
  ])('has %s as %s, to be kept by browsers as its name allows', async (url, type, caching) => {
    const { statusCode, headers } = await get(url);
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, type, caching]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('is not sent again to a browser that has it', async () => {
    const { headers } = await get('/');
    const etag = String(headers.etag);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await get('/', { 'if-none-match': known });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
    expect((await get('/', { 'if-none-match': '"x"' })).statusCode).toBe(200);
    expect((await app.inject({ method: 'HEAD', url: '/' })).statusCode).toBe(200);
  });

  it.each([
    '/link.txt',
    '/../package.json',
    '/assets/../../package.json',
    '/assets/',
    '/assets/%2e%2e%2ficon.svg',
    '/index.html/',
  ])('has no file beside its own: %s', async (url) => {
    expect((await get(url)).statusCode).toBe(404);
  });

  it('changes nothing by any other method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'] as const)
      expect((await app.inject({ method, url: '/' })).statusCode).toBe(405);
  });

  it('that is not built is a page that says how to build it; the API answers all the same', async () => {
    const bare = gatewayApp(gatewayParts({ pageFolder: join(folder, 'nowhere') }));
    const { statusCode, headers, body } = await bare.inject({ url: '/' });
    expect([statusCode, headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    expect(body).toContain('npm run build');
    expect((await bare.inject({ url: '/healthz' })).statusCode).toBe(200);
    await bare.close();
  });
});
