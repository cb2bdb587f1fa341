/** Defines a route of the gateway, and the parts that routes get. */
import type { FastifyInstance } from 'fastify';
import type { SigningKey } from '../attestation/signing-key';
import type { TrustEntry } from '../attestation/trusted-keys';
import type { CodecKeys } from '../encryption/key-source';
import type { HoldfastClient } from '../client/holdfast-client';
import type { CallbackConfig } from '../config/gateway';
import type { Store } from '../store/store';
import type { ToolLogger } from '../tools/define/tool';
import type { SignInConfig } from '../config/sign-in';
import type { Authenticator, Tokens } from './auth/principals';
import type { ToolCatalogue } from './tool-catalogue';
import type { StreamSettings } from './streams/settings';

export interface StartLimitSettings {
  /** How long the oldest task may wait for a worker, ms. */
  ageMs: number;
  /** Fewer tasks than this are no backlog: they are done within seconds once a worker is there, after a deploy for example. */
  tasks: number;
}

export interface GatewayParts {
  store: Store;
  log: ToolLogger;
  /** Connects when it is first called. @throws ServerUnreachable */
  client(): Promise<HoldfastClient>;
  authenticator: Authenticator;
  /** How people sign in at the page; absent: nobody can. */
  signIn?: PageSignIn;
  /** Folder of the page's files. Default: where the build puts them. */
  pageFolder?: string;
  /** Signs decisions in the name of principals, and sign-ins. */
  key: SigningKey;
  /** Keys that the reports of this gateway are verified with. Default: none, so that the signer is unknown. */
  trust?(): Promise<readonly TrustEntry[]>;
  /** The catalogue of the workers' app; absent: its tools can be called, but not listed. */
  catalogue?(): Promise<ToolCatalogue>;
  /** Settings of callbacks. Default: none are allowed. */
  callbacks?: CallbackConfig | null;
  /** Limit per principal. Default 6000. */
  requestsPerMinute?: number;
  /** When new work is refused since the workers cannot keep up; null: never. Default: 100 tasks, the oldest of 30 s. */
  startLimit?: StartLimitSettings | null;
  corsOrigins?: readonly string[];
  /** Number of proxies in front whose `X-Forwarded-For` is trusted. Default 0. */
  proxies?: number;
  /** `/metrics` without a token. Default false. */
  openMetrics?: boolean;
  streams?: Partial<StreamSettings>;
  /** The address at which clients reach it. */
  publicUrl?: string;
  /**
   * The file of trusted keys, if this host has it: sign-ins count of the gateways that it trusts, and passkeys that are revoked there are
   * shown so. For decisions only the workers' files count.
   */
  trustedKeys?: string;
  /** The keys of the codec server; absent or null: payloads are plain. */
  codec?: CodecParts | null;
  /** Further host names at which it is reached. */
  hosts?: readonly string[];
}

/** Keys for Temporal's Web UI and CLI (codec-server/route.ts). */
export interface CodecParts {
  codecKeys: CodecKeys;
  namespace: string;
  /** Address of the Web UI, whose pages may ask; null: it is not known. */
  uiUrl(): string | null;
}

export interface PageSignIn extends SignInConfig {
  /** Those with which people may sign in. */
  tokens: Tokens;
}

/**
 * Adds a route to the app. Each route is declared with a JSON Schema and with `config: {roles}`. It finds the request's principal
 * in `request.principal`, and throws a `Refusal` for a request that it cannot fulfil.
 */
export type Route = (app: FastifyInstance, parts: GatewayParts) => void;

// The client of a gateway. It connects when it is first used, and again after a failure: Temporal may start later than the
// gateway.

export class LazyClient {
  private client: Promise<HoldfastClient> | null = null;

  constructor(private readonly connect: () => Promise<HoldfastClient>) {}

  readonly get = (): Promise<HoldfastClient> => {
    if (this.client === null) {
      const client = (this.client = this.connect());
      client.catch(() => void (this.client = null));
    }
    return this.client;
  };

  async close(): Promise<void> {
    await (await this.client?.catch(() => null))?.close();
  }
}
