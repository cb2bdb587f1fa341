/** A proxy before a server that stops for good before a certain text reaches the server. */
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface WatchingProxy {
  port: number;
  /** Once a client has sent the text: it was not passed on, all connections are cut, and no new one gets through. */
  stopped: Promise<void>;
  close(): Promise<void>;
}

export async function startWatchingProxy(upstreamPort: number, text: string): Promise<WatchingProxy> {
  const open = new Set<Socket>();
  const cutAll = () => open.forEach((socket) => socket.destroy());
  let isStopped = false;
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = () => {
      isStopped = true;
      cutAll();
      resolve();
    };
  });
  const server = createServer((client) => {
    if (isStopped) return void client.destroy();
    const there = connect({ host: '127.0.0.1', port: upstreamPort });
    for (const socket of [client, there]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    let end = ''; // of what was passed on: the text may come in two pieces
    client.on('data', (bytes) => {
      const sent = end + bytes.toString('latin1');
      if (sent.includes(text)) return stop();
      end = sent.slice(-text.length);
      there.write(bytes);
    });
    there.pipe(client);
    client.on('close', () => there.destroy());
    there.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    cutAll();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port: (server.address() as AddressInfo).port, stopped, close };
}
