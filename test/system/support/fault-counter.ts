/**
 * The other side of a payment: it counts its payments, separately for each cell of the matrix, and fails once in the way and at
 * the moment that the cell names. It serves all requests after that first one normally.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gates } from './fault-gates';

export type Moment = 'before' | 'during' | 'after';
/** Failures of the other side itself; all other faults hit its callers. */
export type Failure = 'cut' | 'timeout' | 'HTTP 500';

export interface Counter {
  url: string;
  /** How the first request of a cell fails. */
  plan(cell: string, failure: Failure, moment: Moment): void;
  /** Payments of a cell. */
  effects(cell: string): number;
  close(): Promise<void>;
}

/** Gates: `before CELL`, `during CELL` (the request is here, nothing is paid yet), `after CELL`. */
export async function startCounter(gates: Gates): Promise<Counter> {
  const planned = new Map<string, { failure: Failure; moment: Moment }>();
  const paid: { cell: string; key: string }[] = [];
  const underWay = new Set<string>();

  const pay = (cell: string, key: string, once: boolean) => {
    if (!once || !paid.some((payment) => payment.key === key)) paid.push({ cell, key });
    underWay.delete(key);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://counter');
    const [cell = '', key = ''] = [searchParams.get('cell'), searchParams.get('key')].map((value) => value ?? '');
    const answer = (status: number, body: object) => void response.writeHead(status).end(JSON.stringify(body));
    if (pathname === '/hold') return gates.pass(searchParams.get('at') ?? '').then(() => answer(200, {}));
    if (pathname === '/find') {
      const found = paid.some((payment) => payment.key === key) ? 'applied' : underWay.has(key) ? 'unknown' : 'not_applied';
      return answer(200, { outcome: found });
    }
    const done = () => pay(cell, key, searchParams.get('once') === 'yes');
    const plan = planned.get(cell);
    planned.delete(cell);
    if (!plan) {
      underWay.add(key);
      await gates.pass(`during ${cell}`);
      done();
      return answer(200, { paid: true });
    }
    const fail = () => {
      if (plan.failure === 'HTTP 500') answer(500, { error: 'out of order' });
      if (plan.failure === 'cut') request.socket.destroy();
      // A timeout: it never answers.
    };
    if (plan.moment === 'before') return fail();
    if (plan.moment === 'after') return (done(), fail());
    underWay.add(key);
    request.socket.once('close', done); // the caller has gone, and it is paid all the same
    fail();
  };

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: (cell, failure, moment) => void planned.set(cell, { failure, moment }),
    effects: (cell) => paid.filter((payment) => payment.cell === cell).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
