/** A connection to PostgreSQL that can be cut: before a statement arrives, or after it has counted and before its answer is back. */
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

type When = 'before' | 'after';

export interface CuttingProxy {
  port: number;
  /** Cuts the next statement whose bytes contain this text, and every connection with it. */
  cut(when: When, text: string): void;
  /** The same before the statement gets there, and nothing gets through any more. @returns once it is cut */
  cutForGood(text: string): Promise<void>;
  /** Statements that were cut. */
  cuts(): number;
  /** Statements that came by: each is one round trip. */
  statements(): number;
  close(): Promise<void>;
}

/** The end of an answer: ReadyForQuery, outside of a transaction. https://www.postgresql.org/docs/current/protocol-message-formats.html */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export async function startCuttingProxy(to: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let order: { when: When; text: string; forGood?: () => void } | null = null;
  let isOver = false;
  let cuts = 0;
  let statements = 0;
  const cutAll = () => {
    cuts++;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isOver) return void client.destroy();
    const upstream = connect(to, '127.0.0.1');
    let cutAnswer = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    client.on('data', (bytes) => {
      if (bytes.includes('SELECT') || bytes.includes('INSERT') || bytes.includes('UPDATE')) statements++;
      if (order !== null && bytes.includes(order.text)) {
        const { when, forGood } = order;
        order = null;
        isOver = forGood !== undefined;
        forGood?.();
        if (when === 'before') return cutAll();
        cutAnswer = true;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!cutAnswer) client.write(bytes);
      else if (bytes.subarray(-READY.length).equals(READY)) cutAll();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut: (when, text) => void (order = { when, text }),
    cutForGood: (text) => new Promise((forGood) => (order = { when: 'before', text, forGood })),
    cuts: () => cuts,
    statements: () => statements,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
