/** An MCP server over HTTP, and the authorization server that guards it: small, real, and ready to misbehave. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../../src/shared/json/json';

export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Guarded {
  url: string;
  issuer: string;
  /** The requests to the MCP server, and those to the authorization server. */
  served: Asked[];
  issued: Asked[];
  /** Forgets all access tokens; refresh tokens too, if the argument says so. */
  revoke(refresh?: boolean): void;
  close(): Promise<void>;
}

export interface Guard {
  /** False: it takes everybody. */
  guarded?: boolean;
  /** Answers a `tools/call` in another way. */
  onCall?(response: ServerResponse, request: Asked): void;
  /** Scope that a call needs; what a token has is what its login asked for. */
  callScope?: string;
  /** It calls itself the authorization server: people log in at the real one, and the codes of it are to come here. */
  between?: boolean;
}

export const CLIENT = { id: 'a-client', secret: 'the-secret-of-a-client' };

const TOOLS: JsonObject[] = [
  { name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } },
];

export async function guardedServer({ guarded = true, onCall, callScope, between = false }: Guard = {}): Promise<Guarded> {
  const served: Asked[] = [];
  const issued: Asked[] = [];
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const codes = new Map<string, { challenge: string; client: string; scope: string }>();
  const random = () => randomBytes(16).toString('hex');
  const tokensFor = (scope: string, refreshable: boolean) => {
    const tokens = { access_token: `access-${random()}`, token_type: 'Bearer', expires_in: 3600 };
    access.set(tokens.access_token, scope);
    if (!refreshable) return tokens;
    const refresh_token = `refresh-${random()}`;
    refresh.set(refresh_token, scope);
    return { ...tokens, refresh_token };
  };

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  });

  const issuing = await listening(async (request, response) => {
    const asked = await readAll(request, issued);
    const at = new URL(asked.path, issuer);
    if (at.pathname === '/.well-known/oauth-authorization-server') return json(response, 200, metadata());
    if (at.pathname === '/register')
      return json(response, 201, { ...JSON.parse(asked.body), client_id: `registered-${random()}` });
    if (at.pathname === '/authorize') {
      const code = random();
      const of = (name: string) => at.searchParams.get(name) ?? '';
      codes.set(code, { challenge: of('code_challenge'), client: of('client_id'), scope: of('scope') });
      const back = new URL(of('redirect_uri'));
      back.searchParams.set('code', code);
      back.searchParams.set('state', of('state'));
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (at.pathname !== '/token') return json(response, 404, {});
    const form = new URLSearchParams(asked.body);
    const of = (name: string) => form.get(name) ?? '';
    switch (of('grant_type')) {
      case 'client_credentials': {
        const known = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`;
        if (asked.headers.authorization !== known) return json(response, 401, { error: 'invalid_client' });
        return json(response, 200, tokensFor(of('scope'), false));
      }
      case 'authorization_code': {
        const code = codes.get(of('code'));
        codes.delete(of('code'));
        const proof = createHash('sha256').update(of('code_verifier')).digest('base64url');
        if (!code || code.challenge !== proof || code.client !== of('client_id'))
          return json(response, 400, { error: 'invalid_grant' });
        return json(response, 200, tokensFor(code.scope, true));
      }
      case 'refresh_token': {
        const scope = refresh.get(of('refresh_token'));
        refresh.delete(of('refresh_token'));
        return scope === undefined
          ? json(response, 400, { error: 'invalid_grant' })
          : json(response, 200, tokensFor(scope, true));
      }
      default:
        return json(response, 400, { error: 'unsupported_grant_type' });
    }
  });
  const issuer = addressOf(issuing);

  const serving = await listening(async (request, response) => {
    const asked = await readAll(request, served);
    // Not where a client would look by itself: the challenge alone says where.
    if (asked.path === '/described-here')
      return json(response, 200, { resource: `${base}/mcp`, authorization_servers: [between ? base : issuer] });
    if (between && asked.path === '/.well-known/oauth-authorization-server')
      return json(response, 200, { ...metadata(), issuer: base, token_endpoint: `${base}/token` });
    if (asked.path !== '/mcp') return json(response, 404, {});
    const scope = access.get((asked.headers.authorization ?? '').replace('Bearer ', ''));
    if (guarded && scope === undefined) {
      const challenge = `Bearer resource_metadata="${base}/described-here", scope="look"`;
      return void response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(asked.body) as { id?: number; method: string; params: JsonObject };
    if (id === undefined) return void response.writeHead(202).end();
    const answer = (result: JsonObject) => json(response, 200, { jsonrpc: '2.0', id, result });
    if (method === 'initialize') {
      const { protocolVersion } = params as { protocolVersion: string };
      return answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'guarded', version: '1' } });
    }
    if (method === 'tools/list') return answer({ tools: TOOLS });
    if (method !== 'tools/call') return answer({});
    if (onCall) return onCall(response, asked);
    if (callScope !== undefined && !scope!.split(' ').includes(callScope)) {
      const challenge = `Bearer error="insufficient_scope", resource_metadata="${base}/described-here", scope="look ${callScope}"`;
      return void response.writeHead(403, { 'www-authenticate': challenge }).end();
    }
    // It repeats what it was sent.
    return answer({
      content: [
        {
          type: 'text',
          text: `sent: ${JSON.stringify({ ...asked.headers, again: asked.headers.authorization?.split(' ')[1] })}`,
        },
      ],
    });
  });
  const base = addressOf(serving);

  return {
    url: `${base}/mcp`,
    issuer,
    served,
    issued,
    revoke(all = false) {
      access.clear();
      if (all) refresh.clear();
    },
    close: async () => {
      await Promise.all([serving, issuing].map((server) => closed(server)));
    },
  };
}

function listening(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => json(response, 500, { error: String(error) }));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function readAll(request: IncomingMessage, into: Asked[]): Promise<Asked> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const asked = { path: request.url ?? '', headers: request.headers, body };
  into.push(asked);
  return asked;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
