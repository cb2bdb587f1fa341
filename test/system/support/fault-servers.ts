/** The servers around the process that is killed: they are the test's own, count requests, and hold them at gates. */
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Gates } from './fault-gates';

export interface Backend {
  url: string;
  /** Runs of the read tool, by key. */
  reads: Record<string, number>;
  close(): Promise<void>;
}

/**
 * The read tool's upstream (gates `read KEY`), and the server that holds effect records (fixtures/hold-effect-records.ts; gates
 * such as `before 1.1`, or `before 1.1 of IDEMPOTENCY KEY` for those of one call).
 */
export async function startBackend(gates: Gates): Promise<Backend> {
  const reads: Record<string, number> = {};
  const server = createHttpServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://backend');
    const key = searchParams.get('key');
    if (key !== null) reads[key] = (reads[key] ?? 0) + 1;
    const [at, of] = [searchParams.get('at') ?? '', searchParams.get('of')];
    const points = key === null ? [at, `${at} of ${of}`] : [`read ${key}`];
    void gates.pass(...points).then(() => response.end(JSON.stringify({ key, value: 42 })));
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, reads, close: () => closed(server, () => server.closeAllConnections()) };
}

export interface PostOffice {
  port: number;
  /** Recipients of the messages that were taken, in order. */
  mails: string[];
  close(): Promise<void>;
}

/**
 * A mail server. Gate `rcpt`: before the recipient is accepted; gate `answer`: the mail is stored, and not yet confirmed; with
 * ` of NAME` for mails to NAME@… only.
 */
export async function startPostOffice(gates: Gates): Promise<PostOffice> {
  const mails: string[] = [];
  const pass = (point: string, address: string) => gates.pass(point, `${point} of ${address.split('@')[0]}`);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 200,
    onRcptTo: ({ address }, _session, done) => void pass('rcpt', address).then(() => done()),
    onData(stream, { envelope }, done) {
      stream.resume().on('end', () => {
        const { address } = envelope.rcptTo[0]!;
        mails.push(address);
        void pass('answer', address).then(() => done(null, 'stored'));
      });
    },
  });
  server.on('error', () => undefined); // killed clients break off
  const port = await listen(server.server);
  return { port, mails, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** A wire between a worker and Temporal. */
export interface Wire {
  address: string;
  /** Messages from Temporal no longer reach the worker; messages from the worker still reach Temporal. */
  deafen(): void;
  /** Cuts it: neither hears of the other again. */
  close(): Promise<void>;
}

/** @param at the wire's port; 0: any free one */
export async function startWire(to: string, at = 0): Promise<Wire> {
  const sockets = new Set<Socket>();
  let deaf = false;
  const server = createServer((near) => {
    const [host, port] = to.split(':') as [string, string];
    const far = connect(Number(port), host);
    near.pipe(far);
    far.on('data', (bytes) => void (deaf || near.write(bytes)));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const port = await listen(server, at);
  return {
    address: `127.0.0.1:${port}`,
    deafen: () => void (deaf = true),
    close: () => closed(server, () => sockets.forEach((socket) => socket.destroy())),
  };
}

function listen(server: Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server, drop: () => void): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    drop();
  });
}
