/**
 * Stands before an HTTP server that asks nobody whether his page may ask it (Temporal's Web UI, a development chain, the
 * counters of Temporal's core): checks Host and Origin, and passes the rest on as it is. The server itself listens where
 * nobody finds it who does not see this machine's sockets.
 */
import { randomInt } from 'node:crypto';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { SITE_HINT, siteFault, type Site } from '../shared/wire/same-site';

export interface Place {
  host: string;
  port: number;
}

/** How long a connection without a request is kept, ms. A client that uses one again just as the server closes it gets an error: Node's 5 s are too few where it is busy. */
const KEEP_ALIVE_MS = 65_000;

/** Of the connection, not of the message: they end here. How a body is framed goes on with a request, or its end could be read elsewhere. */
const OF_CONNECTION = ['connection', 'expect', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];
const OF_ANSWER = [...OF_CONNECTION, 'transfer-encoding'];

export interface GuardedProxy {
  port: number;
  close(): Promise<void>;
}

/**
 * @param hint for whoever is refused
 * @throws the system's error when `at` is taken, or is none of this machine
 */
export async function startGuardedProxy(at: Place, to: Place, site: Site = {}, hint = SITE_HINT): Promise<GuardedProxy> {
  const server = createServer((request, response) => {
    const fault = siteFault(request.headers, request.socket.localAddress, site);
    if (fault !== null) return answer(response, 403, `${fault} ${hint}`);
    // A request for a proxy, with another host in its first line than the one that was checked.
    if (!request.url!.startsWith('/')) return answer(response, 400, 'The address must begin with a slash.');
    pass(request, response, to);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, () => resolve());
  });
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, close };
}

function pass(request: IncomingMessage, response: ServerResponse, { host, port }: Place): void {
  const { method, url: path, headers } = request;
  // A connection each: over loopback that costs little, and none breaks because it was left open too long.
  const onward = send({ host, port, agent: false, method, path, headers: without(OF_CONNECTION, headers), setHost: false });
  onward.on('response', (found) => {
    response.writeHead(found.statusCode!, without(OF_ANSWER, found.headers));
    found.pipe(response);
    found.on('error', () => response.destroy());
  });
  onward.on('error', () => {
    if (response.headersSent || response.destroyed) response.destroy();
    else answer(response, 502, 'What stands behind this address does not answer.');
  });
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

function without(names: readonly string[], headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' });
  response.end(`${text}\n`);
}

/**
 * An address of this machine that a page would have to guess out of 16 million, and a free port there. Where the system has
 * one loopback address only (macOS), that one: `secret` is false.
 */
export async function secretPlace(pick = randomLoopback): Promise<Place & { secret: boolean }> {
  const host = pick();
  const port = await portAt(host).catch(() => null);
  if (port !== null) return { host, port, secret: true };
  return { host: '127.0.0.1', port: await portAt('127.0.0.1'), secret: false };
}

function randomLoopback(): string {
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
}

function portAt(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createSocketServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
