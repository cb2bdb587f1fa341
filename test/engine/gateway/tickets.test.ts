import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventSource } from 'eventsource';
import { gatewayApp } from '../../../src/gateway/app';
import { serveGateway } from '../../../src/gateway/serve';
import { TICKET_MS, Tickets } from '../../../src/gateway/auth/principals';
import { FileStore } from '../../../src/store/files/file-store';
import { withEngine } from '../support/engine';
import { gatewayParts, person } from '../../support/gateway';
import { say } from '../../support/scripted-model';

const rita = person('acme/rita', 'starter');
const eve = person('globex/eve', 'starter');
const address = '/v1/turns/x/events';

describe('a ticket', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-tickets-'));
  const now = Date.parse('2026-01-31T10:00:00Z');
  const principal = { name: 'acme/rita', tenant: 'acme', roles: ['starter'] };
  const tickets = new Tickets(() => Buffer.alloc(32, 1));
  const { ticket } = tickets.give(principal, address, now);
  const opens = (url: string, at = now, by = tickets) => by.principalOf(url, at);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('names its principal, for one address, for a minute', () => {
    expect(opens(`${address}?stream_ticket=${ticket}`)).toEqual(principal);
    expect(opens(`${address}?stream_ticket=${ticket}`, now + TICKET_MS - 1)).toEqual(principal);
    expect(opens(`${address}?stream_ticket=${ticket}`, now + TICKET_MS)).toBeNull();
    const query = `/tools/calculate/sse?expression=2%2B2`;
    expect(opens(`${query}&stream_ticket=${tickets.give(principal, query, now).ticket}`)).toEqual(principal);
  });

  it.each([
    ['another turn', `/v1/turns/y/events?stream_ticket=${ticket}`],
    ['more in the query', `${address}?after=1&stream_ticket=${ticket}`],
    ['a parameter after it', `${address}?stream_ticket=${ticket}&after=1`],
    ['two of them', `${address}?stream_ticket=${ticket}&stream_ticket=${ticket}`],
    ['another seal', `${address}?stream_ticket=${ticket.slice(0, -2)}AA`],
    ['no seal', `${address}?stream_ticket=${ticket.split('.')[0]}`],
    ['nothing', `${address}?stream_ticket=`],
    ['junk', `${address}?stream_ticket=a.b`],
  ])('names nobody with %s', (_what, url) => expect(opens(url)).toBeNull());

  it('names nobody at a gateway of another store', () => {
    expect(opens(`${address}?stream_ticket=${ticket}`, now, new Tickets(() => Buffer.alloc(32, 2)))).toBeNull();
  });

  it('opens no other route, and is given for streams only', async () => {
    const store = await FileStore.open(dir);
    const app = gatewayApp(gatewayParts({ people: [rita], store }));
    const give = (wanted: string) =>
      app.inject({ method: 'POST', url: '/v1/tickets', headers: rita.headers, payload: { address: wanted } });
    for (const wanted of [
      '/v1/turns/x',
      '/v1/turns',
      '/v1/turns/x/bundle',
      'https://else.example/v1/turns/x/events',
      '/v1/turns/x/events#a',
    ])
      expect((await give(wanted)).statusCode).toBe(400);
    const given = (await give(address)).json() as { ticket: string };
    const other = await app.inject({ url: `/v1/turns/x?stream_ticket=${given.ticket}` });
    expect(other.statusCode).toBe(401);
    await app.close();
    await store.close();
  });
});

it('lets an EventSource read a turn of its principal, and of nobody else', () =>
  withEngine({ script: [say('Hello.')] }, async ({ start, store, client }) => {
    const gateway = await serveGateway(gatewayParts({ people: [rita, eve], store, client: async () => client }), {
      host: '127.0.0.1',
      port: 0,
    });
    try {
      const turn = await start('Hi.', { requester: 'acme/rita' });
      await turn.result();
      const path = `/v1/turns/${turn.id}/events`;
      const ticketOf = async ({ headers }: typeof rita) => {
        const answer = await fetch(`${gateway.url}/v1/tickets`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ address: path }),
        });
        return ((await answer.json()) as { ticket: string }).ticket;
      };
      const seen = await new Promise<string>((resolve, reject) => {
        void ticketOf(rita).then((ticket) => {
          const source = new EventSource(`${gateway.url}${path}?stream_ticket=${ticket}`);
          source.addEventListener('turn_completed', ({ data }) => (source.close(), resolve(String(data))));
          source.addEventListener('error', ({ code, message }) => (source.close(), reject(new Error(`${code} ${message}`))));
        }, reject);
      });
      expect(seen).toContain('Hello.');
      expect((await fetch(`${gateway.url}${path}?stream_ticket=${await ticketOf(eve)}`)).status).toBe(404);
      expect((await fetch(`${gateway.url}${path}`)).status).toBe(401);
    } finally {
      await gateway.close();
    }
  }));
