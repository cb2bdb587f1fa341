/**
 * A person's login to an MCP server, in a file that only this user may read. All calls of all workers use it, and one of them at a time
 * changes it: many authorization servers take each refresh token once, and end the login if it comes again.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { objectIn } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { QueueByName } from '../../store/core/registers';
import { hasCode, replaceFile } from '../../store/files/atomic-file';
import type { HttpServer } from '../servers-file';
import type { Fetch } from './bounded-fetch';
import {
  sdk,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from './sdk';

export type OAuthServer = HttpServer & { oauth: NonNullable<HttpServer['oauth']> };

interface StoredLogin {
  /** The server's address. The tokens are for this address only, not for another server that takes its name later. */
  url?: string;
  /** A new value for each login by a person: it may be another person. A refreshed token keeps it. */
  login?: string;
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
}

/** Opens a person's browser, and names the address to which the browser returns. */
export interface Browser {
  redirectUrl: string;
  state: string;
  open(url: URL): void;
}

/** Of a request with a refresh token, for which others wait. */
const REFRESH_MS = 30_000;

/** Keeps the tokens of one server in one file; any worker may refresh them. Without a browser no login is possible. */
export class FileLogin implements OAuthClientProvider {
  private verifier = '';
  private readonly path: string;

  constructor(
    private readonly server: OAuthServer,
    private readonly folder: string,
    private readonly browser?: Browser,
  ) {
    this.path = join(folder, `${server.name}.json`);
  }

  get redirectUrl(): string {
    return this.browser?.redirectUrl ?? 'http://127.0.0.1/';
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope } = this.server.oauth;
    return {
      client_name: 'holdfast',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...optional({ scope }),
    };
  }

  state(): string {
    return this.browser?.state ?? '';
  }

  /** The stored registration has the redirect address of its login, so each new login registers again. */
  clientInformation(): OAuthClientInformationMixed | undefined {
    const { clientId, clientSecret, issuer } = this.server.oauth;
    if (clientId !== undefined) {
      const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
      return { client_id: clientId, ...secret, issuer } as OAuthClientInformationMixed;
    }
    return this.readLogin().client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    return this.change((login) => ({ ...login, client }));
  }

  tokens(): OAuthTokens | undefined {
    return this.readLogin().tokens;
  }

  /** Of a refresh, the file has the tokens already, unless a person has logged in meanwhile; only the SDK's stamp is new. */
  saveTokens(tokens: OAuthTokens): Promise<void> {
    return this.change((login) => {
      if (this.browser) return { ...login, tokens };
      if (login.tokens?.access_token !== tokens.access_token) return null;
      return { ...login, tokens: { ...login.tokens, ...optional({ issuer: tokens.issuer }) } };
    });
  }

  /** The same network, but each refresh token is sent once, for all calls and workers that need it at the same time. */
  refreshOnce(network: Fetch): Fetch {
    return (address, init) => {
      const form = init?.body instanceof URLSearchParams ? init.body : new URLSearchParams();
      const token = form.get('grant_type') === 'refresh_token' ? form.get('refresh_token') : null;
      if (token === null) return network(address, init);
      const send = () => network(address, { ...init, signal: AbortSignal.timeout(REFRESH_MS) });
      return alone(this.path, () => this.refresh(token, send));
    };
  }

  private async refresh(token: string, send: () => Promise<Response>): Promise<Response> {
    const { tokens } = this.readLogin();
    if (tokens && tokens.refresh_token !== token) return Response.json(tokens);
    if (!tokens) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const response = await send();
    const text = await response.clone().text();
    const login = this.readLogin();
    const next = login.tokens?.refresh_token === token ? afterRefresh(login, response.ok, text) : null;
    if (next !== null) await this.keep(next);
    return response;
  }

  redirectToAuthorization(url: URL): void {
    const { name, oauth } = this.server;
    if (!this.browser) {
      const why = this.tokens() ? `The login to ${name} no longer holds` : `Nobody has logged in to ${name}`;
      throw new (sdk.auth().UnauthorizedError)(`${why}: run \`holdfast mcp login ${name}\`.`);
    }
    if (url.origin !== new URL(oauth.issuer).origin) throw this.elsewhere(url.origin);
    this.browser.open(url);
  }

  /**
   * The SDK calls this before it sends anything to the authorization server. A malicious server may name itself as the
   * authorization server, with the real one's login page: it would then receive the code of a login, or a refresh token.
   * @throws UnauthorizedError for an address outside of the configured issuer
   */
  saveDiscoveryState({ authorizationServerUrl, authorizationServerMetadata }: OAuthDiscoveryState): void {
    const { authorization_endpoint, token_endpoint, registration_endpoint } = authorizationServerMetadata ?? {};
    const endpoints = [authorization_endpoint, token_endpoint, registration_endpoint].filter((one) => one !== undefined);
    const { origin: issuer } = new URL(this.server.oauth.issuer);
    for (const url of authorizationServerMetadata ? endpoints : [authorizationServerUrl])
      if (new URL(url).origin !== issuer) throw this.elsewhere(new URL(url).origin);
  }

  private elsewhere(origin: string): Error {
    const { name, oauth } = this.server;
    return new (sdk.auth().UnauthorizedError)(`${name} sends people to ${origin} to log in; oauth.issuer is ${oauth.issuer}.`);
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  /** Drops the stored login and names a new one, for a login from the start. */
  forget(): Promise<void> {
    return this.change(() => ({ login: randomBytes(8).toString('hex') }));
  }

  /** Null: no person has logged in, or the login is from before logins had names. */
  get login(): string | null {
    return this.readLogin().login ?? null;
  }

  private readLogin(): StoredLogin {
    try {
      const login = JSON.parse(readFileSync(this.path, 'utf8')) as StoredLogin;
      return login.url === this.server.url ? login : {};
    } catch {
      return {}; // there is none, or it is unreadable: then a person has to log in again
    }
  }

  /** @param change null: nothing is written */
  private async change(change: (login: StoredLogin) => StoredLogin | null): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await alone(this.path, async () => {
      const login = change(this.readLogin());
      if (login !== null) await this.keep(login);
    });
  }

  private async keep(login: StoredLogin): Promise<void> {
    await replaceFile(this.folder, this.path, Buffer.from(JSON.stringify({ ...login, url: this.server.url })));
  }
}

/** @param text the answer to a refresh. @returns null: the login stays as it is */
function afterRefresh({ tokens, ...login }: StoredLogin, isOk: boolean, text: string): StoredLogin | null {
  const { access_token, error, ...others } = objectIn(text);
  if (isOk) return typeof access_token === 'string' ? { ...login, tokens: { ...tokens!, ...others, access_token } } : null;
  if (error === 'invalid_grant') return login;
  return error === 'invalid_client' || error === 'unauthorized_client' ? {} : null;
}

// The lock is a file beside the login. That of a killed process counts for a minute.

const LOOK_EVERY_MS = 50;
/** No work may take as long. */
const KILLED_AFTER_MS = 60_000;

const queue = new QueueByName();

/** @param path of the file with the login; its folder exists */
function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  return queue.add(path, async () => {
    while (!(await takeLock(lock))) await sleep(LOOK_EVERY_MS);
    try {
      return await work();
    } finally {
      await rm(lock, { force: true });
    }
  });
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    const info = await stat(path).catch(() => null); // its owner may have removed it
    if (info !== null && Date.now() - info.mtimeMs > KILLED_AFTER_MS) await rm(path, { force: true });
    return false;
  }
}
