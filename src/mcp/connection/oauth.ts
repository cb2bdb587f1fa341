/**
 * Logs in to an MCP server, with the SDK's OAuth. With a client secret this process logs in by itself. Else a person logs in with
 * `holdfast mcp login`, and the tokens are kept in a file (file-login.ts).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { siteFault } from '../../shared/wire/cross-site-check';
import { version } from '../../version';
import type { HttpServer, ServerConfig } from '../servers-file';
import { type Fetch, fetchFor } from './bounded-fetch';
import { FileLogin, type OAuthServer } from './file-login';
import { sdk, type OAuthClientProvider } from './sdk';
import { optional } from '../../shared/json/optional';

export function withOAuth(server: ServerConfig): server is OAuthServer {
  return server.transport !== 'stdio' && server.oauth !== undefined;
}

export function authProvider(server: OAuthServer, loginFolder: string): OAuthClientProvider {
  const { grant, clientId, clientSecret, issuer, scope } = server.oauth;
  if (grant === 'authorization_code' || clientId === undefined || clientSecret === undefined)
    return new FileLogin(server, loginFolder);
  const { ClientCredentialsProvider } = sdk.authExtensions();
  return new ClientCredentialsProvider({
    clientId,
    clientSecret,
    expectedIssuer: issuer,
    ...optional({ scope }),
  });
}

/**
 * Wraps `fetch`: a 403 that demands a wider scope becomes an error that names it. Only a person may widen a login, not a refresh.
 */
export function toldOfScope(fetch: Fetch, { name, oauth }: HttpServer): Fetch {
  if (oauth?.grant !== 'authorization_code') return fetch;
  return async (url, init) => {
    const response = await fetch(url, init);
    const { extractWWWAuthenticateParams, UnauthorizedError } = sdk.auth();
    const { error, scope } = response.status === 403 ? extractWWWAuthenticateParams(response) : {};
    if (error !== 'insufficient_scope') return response;
    await response.body?.cancel();
    const scopeText = scope === undefined ? 'a wider scope' : `the scope ${JSON.stringify(scope.slice(0, 300))}`;
    throw new UnauthorizedError(
      `The login to ${name} is not enough: it asks for ${scopeText}. If it may have that, name it as oauth.scope, and run \`holdfast mcp login ${name}\`.`,
    );
  };
}

// A person logs in to a server in the browser. The tokens are kept for the workers.

const WAIT_MS = 300_000;

/**
 * @param show gets the address to open in a browser on this machine
 * @throws Error when no person has logged in within five minutes, or the authorization server refused
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
      ...optional({ resourceMetadataUrl, scope }),
    };
    if ((await auth(provider, way)) === 'REDIRECT') await auth(provider, { ...way, authorizationCode: await code });
  } finally {
    callback.closeAllConnections();
    callback.close();
  }
}

/** Asks the server without a token for the address of its authorization metadata, and for the scope that it demands. */
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

/** Accepts only a request with our state: any page in the browser could call this address. */
function codeFrom(server: Server, state: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Nobody has logged in within five minutes.')), WAIT_MS);
    timer.unref();
    server.on('request', (request, response) => {
      // Only the host is checked: the request comes from a page of another site.
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
