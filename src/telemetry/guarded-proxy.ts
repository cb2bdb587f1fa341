/**
 * A proxy in front of an HTTP server that does not check which page sends a request (Temporal's Web UI, a development chain, the
 * metrics of Temporal's core): it checks Host and Origin, and forwards the rest unchanged. The server itself listens where only
 * those find it who can see this machine's sockets.
 */
import { randomInt } from 'node:crypto';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { SITE_HINT, siteFault, type Site } from '../shared/wire/cross-site-check';

export interface HostPort {
  host: string;
  port: number;
}

/**
 * How long an idle connection is kept, ms. A client that reuses a connection just as the server closes it gets an error: Node's 5
 * s are too short on a busy machine.
 */
const KEEP_ALIVE_MS = 65_000;

/** Bytes of address and headers: Temporal's Web UI puts the whole card of a call into an address, and its server takes 1 MB. */
const MOST_HEADERS = 1_048_576;

/**
 * Headers of the connection, not of the message: not forwarded. A request's body framing is forwarded, or the server could read
 * another end of the body.
 */
const OF_CONNECTION = ['connection', 'expect', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];
const OF_ANSWER = [...OF_CONNECTION, 'transfer-encoding'];

export interface GuardedProxy {
  port: number;
  close(): Promise<void>;
}

/**
 * @param hint for a refused client
 * @throws the system's error if `at` is in use, or is not an address of this machine
 */
export async function startGuardedProxy(at: HostPort, to: HostPort, site: Site = {}, hint = SITE_HINT): Promise<GuardedProxy> {
  const server = createServer({ maxHeaderSize: MOST_HEADERS }, (request, response) => {
    const fault = siteFault(request.headers, request.socket.localAddress, site);
    if (fault !== null) return answer(response, 403, `${fault} ${hint}`);
    // A request to a proxy names another host in its first line than the one that was checked.
    if (!request.url!.startsWith('/')) return answer(response, 400, 'The address must begin with a slash.');
    pass(request, response, to);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, () => resolve());
  });
  const close = async () => {
    const closing = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closing;
  };
  return { port: (server.address() as AddressInfo).port, close };
}

function pass(request: IncomingMessage, response: ServerResponse, { host, port }: HostPort): void {
  const { method, url: path, headers } = request;
  // One connection per request: over loopback that costs little, and no connection breaks because it was idle for too long.
  const onward = send({ host, port, agent: false, method, path, headers: without(OF_CONNECTION, headers), setHost: false });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode!, without(OF_ANSWER, answer.headers));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => {
    if (response.headersSent || response.destroyed) response.destroy();
    else answer(response, 502, 'The server behind this proxy does not answer.');
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
 * An address of this machine that a page would have to guess out of 16 million, and a free port there. If the system has only one
 * loopback address (macOS), that one is used: `secret` is false.
 */
export async function secretAddress(pick = randomLoopback): Promise<HostPort & { secret: boolean }> {
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
