/** An OpenID provider for tests that does what it is told, right or wrong: discovery, keys, codes with PKCE, user info. */
import { createHash, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** What the provider says when a code is redeemed. */
export interface Said {
  claims?: object;
  userinfo?: object;
  /** Changes the ID token. */
  forge?: { key?: KeyObject; header?: object; claims?: object; token?: string };
}

interface Grant extends Said {
  challenge: string;
  nonce: string;
  redirectUri: string;
}

export class TestIssuer {
  readonly clientId = 'desk';
  readonly clientSecret = 'a secret of the desk: 100%';
  /** Requests that it got, by path. */
  readonly asked: string[] = [];
  /** Replaces fields of the discovery document. */
  metadata: object = {};
  isDown = false;
  url = '';
  private readonly codes = new Map<string, Grant>();
  private readonly users = new Map<string, object>();
  private readonly server = createServer((request, response) => {
    void this.answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** As a person who agrees: the query with which the browser is sent back. */
  agree(authorizationUrl: string, said: Said = {}): URLSearchParams {
    const asked = new URL(authorizationUrl).searchParams;
    const code = createHash('sha256').update(`${authorizationUrl}${this.codes.size}`).digest('hex');
    const [challenge, nonce, redirectUri] = ['code_challenge', 'nonce', 'redirect_uri'].map((name) => asked.get(name) ?? '');
    this.codes.set(code, { challenge: challenge!, nonce: nonce!, redirectUri: redirectUri!, ...said });
    return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.url });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, this.url);
    this.asked.push(pathname);
    const send = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (this.isDown) return void send({ error: 'down' }, 503);
    if (pathname === '/.well-known/openid-configuration') return void send({ ...this.discovery(), ...this.metadata });
    if (pathname === '/jwks') return void send({ keys: [jwk(own.publicKey)] });
    if (pathname === '/userinfo') return void send(this.users.get(String(request.headers.authorization)) ?? {});
    if (pathname !== '/token') return void send({ error: 'not_found' }, 404);
    const body = new URLSearchParams(await textOf(request));
    const grant = this.codes.get(body.get('code') ?? '');
    this.codes.delete(body.get('code') ?? ''); // a code counts once
    const verifier = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const credentials = [this.clientId, this.clientSecret]
      .map((text) => encodeURIComponent(text).replaceAll('%20', '+'))
      .join(':');
    if (request.headers.authorization !== `Basic ${Buffer.from(credentials).toString('base64')}`)
      return void send({ error: 'invalid_client' }, 400);
    if (grant === undefined || verifier !== grant.challenge || body.get('redirect_uri') !== grant.redirectUri)
      return void send({ error: 'invalid_grant' }, 400);
    const access_token = createHash('sha256')
      .update(String(body.get('code')))
      .digest('hex');
    this.users.set(`Bearer ${access_token}`, { sub: 'u-1', ...grant.userinfo });
    send({ access_token, token_type: 'Bearer', expires_in: 60, id_token: this.idToken(grant) });
  }

  private idToken({ nonce, claims = {}, forge = {} }: Grant): string {
    if (forge.token !== undefined) return forge.token;
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: this.url, aud: this.clientId, sub: 'u-1', nonce, iat: now, exp: now + 300 };
    const head = encode({ alg: 'RS256', kid: 'k1', ...forge.header });
    const text = `${head}.${encode({ ...standard, ...claims, ...forge.claims })}`;
    return `${text}.${sign('sha256', Buffer.from(text), forge.key ?? own.privateKey).toString('base64url')}`;
  }

  private discovery(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      userinfo_endpoint: `${this.url}/userinfo`,
      jwks_uri: `${this.url}/jwks`,
      end_session_endpoint: `${this.url}/sign-out`,
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }
}

function jwk(key: KeyObject): object {
  return {
    ...createPublicKey(key.export({ format: 'pem', type: 'spki' })).export({ format: 'jwk' }),
    kid: 'k1',
    alg: 'RS256',
    use: 'sig',
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
