/** A proxy that cuts the connection of a stream: after each event that has an id, or in the middle of the one that follows. */
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export type Cut = 'after each event' | 'within each event' | 'never';

export interface CuttingProxy {
  url: string;
  /** How many connections it has cut. */
  cuts(): number;
  /** From now on connections go elsewhere; open ones are cut. */
  leadTo(upstream: string): void;
  close(): Promise<void>;
}

const ID = /(?:^|\n)id: [^\n]+\n(?:[^\n]+\n)*\n/;

export async function startCuttingProxy(upstream: string, cut: Cut): Promise<CuttingProxy> {
  let target = new URL(upstream);
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const there = connect({ host: target.hostname, port: Number(target.port) });
    for (const socket of [client, there]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    const end = () => {
      cuts += 1;
      there.destroy();
      setTimeout(() => client.destroy(), 5); // what was written last has to arrive
    };
    client.pipe(there);
    let text = '';
    let over = false;
    there.on('data', (bytes) => {
      if (over) return;
      const before = text.length;
      text += bytes.toString('latin1');
      const found = cut === 'never' ? null : ID.exec(text);
      const upTo = found && found.index + found[0].length + (cut === 'within each event' ? 25 : 0);
      if (upTo === null || text.length < upTo) return void client.write(bytes);
      over = true;
      client.write(bytes.subarray(0, Math.max(0, upTo - before)), end);
    });
    there.on('close', () => void (over || client.end()));
    client.on('close', () => there.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cutAll = () => open.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    leadTo(next) {
      target = new URL(next);
      cutAll();
    },
    close() {
      cutAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
