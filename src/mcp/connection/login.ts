/** A person logs in to a server in the browser; what comes of it is kept for the workers. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { siteFault } from '../../shared/wire/same-site';
import { version } from '../../version';
import { type Fetch, fetchFor } from './bounded-fetch';
import { FileLogin, type OAuthServer } from './oauth';
import { sdk } from './sdk';

const WAIT_MS = 300_000;

/**
 * @param show is given the address to open in a browser on this machine
 * @throws Error when nobody has logged in within five minutes, or the authorization server refused
 */
export async function login(server: OAuthServer, folder: string, show: (url: URL) => void): Promise<void> {
  const state = randomBytes(24).toString('base64url');
  const callback = await listening();
  try {
    const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
    const provider = new FileLogin(server, folder, { redirectUrl, state, open: show });
    await provider.forget();
    const code = codeFrom(callback, state);
    code.catch(() => undefined);
    const { auth } = sdk.auth();
    const fetchFn = fetchFor(server);
    const { resourceMetadataUrl, scope: wanted } = await challenge(server, fetchFn);
    const scope = server.oauth.scope ?? wanted;
    const way = {
      serverUrl: server.url,
      fetchFn,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
    };
    if ((await auth(provider, way)) === 'REDIRECT') await auth(provider, { ...way, authorizationCode: await code });
  } finally {
    callback.closeAllConnections();
    callback.close();
  }
}

/** Where the server says that its authorization is described, and the scope that it asks for: told to whoever comes without a token. */
async function challenge({ transport, url }: OAuthServer, fetchFn: Fetch) {
  const { LATEST_PROTOCOL_VERSION } = sdk.types();
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'holdfast', version } };
  const hello = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  };
  const answer = await fetchFn(url, transport === 'sse' ? { headers: { accept: 'text/event-stream' } } : hello);
  await answer.body?.cancel();
  return answer.status === 401 ? sdk.auth().extractWWWAuthenticateParams(answer) : {};
}

function listening(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** Only the answer that knows our state counts: any page in the browser could call this address. */
function codeFrom(server: Server, state: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Nobody has logged in within five minutes.')), WAIT_MS);
    timer.unref();
    server.on('request', (request, response) => {
      // Of the host alone: the page that sends the person back is another site's.
      const fault = siteFault({ host: request.headers.host }, request.socket.localAddress, {});
      const address = `http://127.0.0.1${request.url}`;
      const { pathname, searchParams } = URL.canParse(address) ? new URL(address) : new URL('http://127.0.0.1');
      const mine = fault === null && pathname === '/callback' && same(searchParams.get('state') ?? '', state);
      response.writeHead(mine ? 200 : fault ? 403 : 404, { 'content-type': 'text/plain' });
      response.end(mine ? 'You can close this page.' : (fault ?? 'Not here.'));
      if (!mine) return;
      clearTimeout(timer);
      const code = searchParams.get('code');
      if (code === null)
        reject(new Error(`The authorization server refused: ${(searchParams.get('error') ?? 'it gave no code').slice(0, 200)}`));
      else resolve(code);
    });
  });
}

function same(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
