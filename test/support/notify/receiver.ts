/** A receiver of webhooks: a real HTTP server that remembers what it got, and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: any;
}

export interface Receiver {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

/** Makes receivers that are closed after each test of the file. */
export function receivers(): typeof receiver {
  const open: Receiver[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  return async (answer) => {
    const server = await receiver(answer);
    open.push(server);
    return server;
  };
}

/** @param answer how the nth request, from 1, is answered; default: 204 */
export async function receiver(
  answer: (nth: number, response: ServerResponse) => void = (_nth, response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      received.push({ method, path: url, headers, text, body: text === '' ? null : JSON.parse(text) });
      answer(received.length, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}/hooks/k3y`, received, close };
}
