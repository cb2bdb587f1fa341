/** A proxy between a tool and its node: the test sees each method, and can hold it before and after the node, or answer itself. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcProxy {
  url: string;
  /** Methods that came, in order. */
  methods: string[];
  close(): Promise<void>;
}

export interface RpcHooks {
  /** A status and a body to answer with instead of the node's; nothing: on to the node. */
  before?(method: string, params: unknown[]): Promise<{ status: number; body: string } | void>;
  /** The node has answered; the caller does not know it yet. */
  after?(method: string, params: unknown[]): Promise<void>;
}

export async function startRpcProxy(node: string, hooks: RpcHooks): Promise<RpcProxy> {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      const { method, params } = JSON.parse(body.toString()) as { method: string; params: unknown[] };
      methods.push(method);
      const own = await hooks.before?.(method, params);
      response.setHeader('content-type', 'application/json');
      if (own) return response.writeHead(own.status).end(own.body);
      const real = await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const text = await real.text();
      await hooks.after?.(method, params);
      return response.writeHead(real.status).end(text);
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
