/** The port to which a browser comes back after a login. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverOf } from '../../../../src/mcp';
import { login, withOAuth } from '../../../../src/mcp/connection/oauth';
import { guardedServer } from '../../../support/packs/mcp/guarded-server';

/** The path is sent as it is. */
function answerOf(port: string, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    asked.on('error', reject).end();
  });
}

it('refuses a page under a host name of its own, even one that knows the state, and an address that cannot be read, and goes on waiting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-login-'));
  const server = await guardedServer();
  try {
    const one = serverOf('guarded', { url: server.url, oauth: { issuer: server.issuer } }, {});
    if (!withOAuth(one)) throw new Error('it has no oauth');
    let shown!: (address: URL) => void;
    const address = new Promise<URL>((resolve) => (shown = resolve));
    const loggedIn = login(one, folder, shown);
    const sent = await fetch(await address, { redirect: 'manual' });
    const back = new URL(sent.headers.get('location')!);
    const asked = back.pathname + back.search;
    for (const host of ['evil.example', `evil.example:${back.port}`])
      expect([host, await answerOf(back.port, asked, host)]).toEqual([host, 403]);
    expect(await answerOf(back.port, '//', back.host)).toBe(404);
    expect(await answerOf(back.port, asked, back.host)).toBe(200);
    await loggedIn;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
