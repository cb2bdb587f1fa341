/** What a route is, and what it is given. */
import type { FastifyInstance } from 'fastify';
import type { SigningKey } from '../attestation/signing-key';
import type { HoldfastClient } from '../client';
import type { CallbackConfig } from '../config/http';
import type { Store } from '../store/store';
import type { ToolLogger } from '../tools/define/tool';
import type { Authenticator } from './auth/principals';
import type { ToolCatalogue } from './tool-catalogue';
import type { StreamSettings } from './streams/settings';

export interface GatewayParts {
  store: Store;
  log: ToolLogger;
  /** Connects when it is first needed. @throws ServerUnreachable */
  client(): Promise<HoldfastClient>;
  authenticator: Authenticator;
  /** Signs in the principals' names. */
  key: SigningKey;
  /** Of the app that the workers serve; absent: its tools can be called, and not be listed. */
  catalogue?(): Promise<ToolCatalogue>;
  /** Where callbacks may go. Default: nowhere. */
  callbacks?: CallbackConfig | null;
  /** Of one principal. Default 6000. */
  requestsPerMinute?: number;
  corsOrigins?: readonly string[];
  /** Proxies in front, whose `X-Forwarded-For` is believed. Default 0. */
  proxies?: number;
  /** `/metrics` without a token. Default false. */
  openMetrics?: boolean;
  streams?: Partial<StreamSettings>;
  /** Under which address it is reached from outside. */
  publicUrl?: string;
  /** Further names under which it is reached. */
  hosts?: readonly string[];
}

/**
 * A route adds itself to the app, with what it needs. It is declared with a JSON Schema and with `config: {roles}`; whose
 * request it is stands in `request.principal`; what cannot be done is thrown as a `Refusal`.
 */
export type Route = (app: FastifyInstance, parts: GatewayParts) => void;

// The client of a gateway: connected when it is first needed, and again after a failure; Temporal may start later than the
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
