/** The gateway on its address, and its orderly end. */
import type { AddressInfo } from 'node:net';
import { gatewayApp } from './app';
import type { GatewayParts } from './route';

export interface RunningGateway {
  /** `http://HOST:PORT` as it listens. */
  url: string;
  /** Takes nothing new, ends streams, lets open requests end; cuts off what is left after a while. */
  close(): Promise<void>;
}

export interface ServeAt {
  host: string;
  port: number;
  /** How long open requests may take to end, ms. Default 20,000. */
  drainMs?: number;
}

/** @throws GatewayUnavailable when the address is taken, or is none of this machine */
export async function serveGateway(parts: GatewayParts, { host, port, drainMs = 20_000 }: ServeAt): Promise<RunningGateway> {
  const ending = new AbortController();
  const app = gatewayApp(parts, ending.signal);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw new GatewayUnavailable(`${host}:${port}`, error);
  }
  const { port: actual } = app.server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  const close = async () => {
    ending.abort();
    const cut = setTimeout(() => app.server.closeAllConnections(), drainMs);
    await app.close().finally(() => clearTimeout(cut));
  };
  return { url: `http://${name}:${actual}`, close };
}

export class GatewayUnavailable extends Error {
  override readonly name = 'GatewayUnavailable';
  constructor(
    address: string,
    override readonly cause: unknown,
  ) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`The gateway cannot listen at ${address} (${why}). Set HOLDFAST_HTTP_PORT, or --http-port, to a free port.`);
  }
}
