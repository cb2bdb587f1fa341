/** A gateway at whose page people can sign in, and a browser that does: it keeps cookies, and says where its requests come from. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { SignInConfig } from '../../src/config/sign-in';
import { gatewayApp } from '../../src/gateway/app';
import { Tokens } from '../../src/gateway/auth/principals';
import type { GatewayParts } from '../../src/gateway/route';
import { FileStore } from '../../src/store/files/file-store';
import type { Store } from '../../src/store/store';
import { gatewayParts, type Person } from './gateway';

export const LIMITS: SignInConfig = { oidc: null, idleMs: 30 * 60_000, longestMs: 12 * 3_600_000 };
export const PUBLIC_URL = 'https://desk.bank.example';

export interface Desk {
  app: FastifyInstance;
  store: Store;
  /** With which another server of the same gateway can be made. */
  parts: GatewayParts;
  /** Of the store. */
  dir: string;
  close(): Promise<void>;
}

interface DeskSettings extends Partial<GatewayParts> {
  people?: Person[];
  limits?: Partial<SignInConfig>;
  url?: string;
}

/** @param dir of the store; absent: a new one, removed at the end */
export async function openDesk(
  { people = [], limits = {}, url = PUBLIC_URL, ...parts }: DeskSettings,
  dir?: string,
): Promise<Desk> {
  const own = dir ?? (await mkdtemp(join(tmpdir(), 'holdfast-desk-')));
  const store = await FileStore.open(own);
  const tokens = new Tokens(people.map(({ entry }) => entry));
  const signIn = { tokens, ...LIMITS, ...limits };
  const all = gatewayParts({ store, authenticator: tokens, signIn, publicUrl: url, ...parts });
  const app = gatewayApp(all);
  const close = async () => {
    await app.close();
    await store.close();
    if (dir === undefined) await rm(own, { recursive: true, force: true });
  };
  return { app, store, parts: all, dir: own, close };
}

type Headers = Record<string, string>;

export class BrowserAtDesk {
  private static count = 0;
  readonly cookies = new Map<string, string>();
  csrf = '';
  /** Each has its own: attempts are counted by address. */
  private readonly remoteAddress = `10.0.${(BrowserAtDesk.count += 1) >> 8}.${BrowserAtDesk.count & 255}`;

  constructor(
    private readonly app: FastifyInstance,
    private readonly publicUrl = PUBLIC_URL,
  ) {}

  /** What a browser sends with a request of the page itself. */
  get headers(): Headers {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { origin, host } = new URL(this.publicUrl);
    return { host, origin, 'sec-fetch-site': 'same-origin', 'x-holdfast-csrf': this.csrf, ...(cookie ? { cookie } : {}) };
  }

  /** @param headers replace those of the page; an empty one is left out */
  async send(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object | string, headers: Headers = {}) {
    const all = Object.entries({ ...this.headers, ...headers }).filter(([, value]) => value !== '');
    const { remoteAddress } = this;
    const request = { method, url, headers: Object.fromEntries(all), remoteAddress };
    const answer = await this.app.inject({ ...request, ...(payload ? { payload } : {}) });
    this.keep(answer);
    return answer;
  }

  async signIn({ token }: Pick<Person, 'token'>): Promise<LightMyRequestResponse> {
    const answer = await this.send('POST', '/v1/sign-in', { token });
    if (answer.statusCode === 200) this.csrf = answer.json<{ csrf: string }>().csrf;
    return answer;
  }

  private keep({ cookies }: LightMyRequestResponse): void {
    for (const { name, value, maxAge } of cookies)
      if (maxAge === 0) this.cookies.delete(name);
      else this.cookies.set(name, value);
  }
}
