import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import fastify from 'fastify';
import { authenticateRequests } from '../../../src/gateway/auth/authenticate';
import { TICKET_PARAMETER, Tickets, type Principal } from '../../../src/gateway/auth/principals';
import { SseConnection } from '../../../src/gateway/streams/connection';
import { STREAM_SETTINGS } from '../../../src/gateway/streams/settings';

jest.setTimeout(60_000);

/** A gateway that has 1 MB events without end to send, and a reader of its stream. */
async function endless(
  settings: Partial<typeof STREAM_SETTINGS>,
): Promise<{ told: () => number; over: Promise<void>; reader: Socket; close(): Promise<void> }> {
  const app = fastify();
  let told = 0;
  let ended!: () => void;
  const over = new Promise<void>((resolve) => (ended = resolve));
  app.get('/', async (_request, reply) => {
    const connection = new SseConnection(reply, { ...STREAM_SETTINGS, ...settings }, new AbortController().signal);
    connection.open();
    for (; !connection.signal.aborted; told++)
      await connection.send({ event: 'tool_progress', id: `1-${told + 1}-0`, data: { text: 'x'.repeat(1_000_000) } });
    ended();
    return reply;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const reader = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  reader.on('error', () => undefined);
  reader.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  return { told: () => told, over, reader, close: () => app.close() };
}

test('a reader that stops reading is sent no more than its buffers hold, and is cut off', async () => {
  const { told, over, reader, close } = await endless({ stallMs: 500 });
  reader.pause();
  await over;
  expect(told()).toBeLessThan(100);
  reader.destroy();
  await close();
});

test('a reader that reads slowly, but reads, is waited for', async () => {
  const { told, over, reader, close } = await endless({ stallMs: 5000 });
  for (let pauses = 0; pauses < 5; pauses++) {
    await once(reader, 'data');
    reader.pause();
    await new Promise((resolve) => setTimeout(resolve, 200));
    reader.resume();
  }
  const before = told();
  while (told() === before) await new Promise((resolve) => setTimeout(resolve, 20));
  reader.destroy();
  await over;
  await close();
});

test.each([
  ['a request', (request: string) => request],
  ['a request that waits for the one before it', (request: string) => request.repeat(2)],
])('%s whose connection has ended before its stream begins is known to have none', async (_, sent) => {
  const app = fastify();
  const aborted: boolean[] = [];
  let ended!: () => void;
  const over = new Promise<void>((resolve) => (ended = resolve));
  app.get('/', async ({ raw: { socket } }, reply) => {
    if (!socket.destroyed) await once(socket, 'close');
    aborted.push(new SseConnection(reply, STREAM_SETTINGS, new AbortController().signal).signal.aborted);
    if (aborted.length === sent('.').length) ended();
    return reply.hijack();
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const reader = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  reader.on('error', () => undefined);
  reader.write(sent('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  reader.destroy();
  await over;
  expect(aborted.every((one) => one)).toBe(true);
  await app.close();
});

test('a silent stream is kept open by comments', async () => {
  const app = fastify();
  app.get('/', async (_request, reply) => {
    new SseConnection(reply, { ...STREAM_SETTINGS, keepAliveMs: 20 }, new AbortController().signal).open();
    return reply;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const stop = new AbortController();
  const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`, { signal: stop.signal });
  let text = '';
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(bytes).toString();
    if (text.split(': still here\n\n').length > 3) break;
  }
  stop.abort();
  expect(text).toMatch(/^retry: 1000\n\n: still here\n\n/);
  await app.close();
});

describe('a stream whose token ends', () => {
  const ADDRESS = '/v1/turns/x/events';
  const TOLD = ': the token has ended; reconnect with a new one\n\n';
  const rita: Principal = { name: 'acme/rita', tenant: 'acme', roles: ['starter', 'approver'] };
  const tickets = new Tickets(() => Buffer.alloc(32, 1));
  afterEach(() => jest.restoreAllMocks());

  /** All that a reader gets of a stream without events. */
  async function read(
    authenticate: (looks: number) => Principal | null,
    { url = ADDRESS, last }: { url?: string; last?: object } = {},
  ): Promise<{ text: string; looks: number }> {
    let looks = 0;
    const authenticator = { hint: '', authenticate: async () => authenticate((looks += 1)) };
    const app = fastify();
    authenticateRequests(app, { authenticator, tickets, signIn: null }, async () => undefined);
    app.get(ADDRESS, { config: { roles: ['starter'], takesTicket: true } }, async (_request, reply) => {
      const settings = { ...STREAM_SETTINGS, tokenLookMs: 10 };
      const connection = new SseConnection(reply, settings, new AbortController().signal);
      connection.open(last && { event: null, id: null, data: last });
      await connection.send({ event: 'turn_started', id: '1-1-0', data: {} });
      return reply;
    });
    const headers = url === ADDRESS ? { authorization: 'Bearer x' } : {};
    const { payload, statusCode } = await app.inject({ url, headers });
    expect(statusCode).toBe(200);
    await app.close();
    return { text: payload, looks };
  }

  it('ends with it', async () => {
    const until = { ...rita, tokenEnds: Date.now() + 100 };
    const { text } = await read(() => until);
    expect(Date.now()).toBeGreaterThanOrEqual(until.tokenEnds);
    expect(text).toMatch(/^retry: 1000\n\nevent: turn_started\nid: 1-1-0\ndata: \{\}\n\n/);
    expect(text.endsWith(TOLD)).toBe(true);
  });

  it.each<[string, (looks: number) => Principal | null]>([
    ['is not known any more', (looks) => (looks < 5 ? rita : null)],
    ['has lost a role', (looks) => (looks < 5 ? rita : { ...rita, roles: ['starter'] })],
    ['has a role more', (looks) => (looks < 5 ? rita : { ...rita, roles: [...rita.roles, 'admin'] })],
    [
      'cannot be checked for a while',
      (looks) => {
        if (looks > 1 && looks < 5) throw new Error('The issuer does not answer.');
        return looks < 5 ? rita : null;
      },
    ],
  ])('is looked at again, and ends if its token %s', async (_, authenticate) => {
    const { text, looks } = await read(authenticate);
    expect(looks).toBe(5);
    expect(text.endsWith(TOLD)).toBe(true);
  });

  it('ends with what the reader’s protocol has for it', async () => {
    const { text } = await read((looks) => (looks === 1 ? rita : null), { last: { type: 'RUN_ERROR' } });
    expect(text.endsWith(`data: {"type":"RUN_ERROR"}\n\n${TOLD}`)).toBe(true);
  });

  const byTicket = (principal: Principal) =>
    read(() => null, { url: `${ADDRESS}?${TICKET_PARAMETER}=${tickets.give(principal, ADDRESS, Date.now()).ticket}` });

  it('ends with the token for which its ticket was given', async () => {
    const tokenEnds = Date.now() + 30_000;
    const now = jest.spyOn(Date, 'now');
    const end = setTimeout(() => now.mockReturnValue(tokenEnds), 200);
    expect((await byTicket({ ...rita, tokenEnds })).text.endsWith(TOLD)).toBe(true);
    expect(Date.now()).toBe(tokenEnds);
    clearTimeout(end);
  });

  it('ends after ten minutes, if its ticket does not say when the token ends', async () => {
    const began = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(began);
    const ends = [599_999, 600_000].map((ms, index) => setTimeout(() => now.mockReturnValue(began + ms), 200 * (index + 1)));
    expect((await byTicket(rita)).text.endsWith(TOLD)).toBe(true);
    expect(Date.now()).toBe(began + 600_000);
    for (const timer of ends) clearTimeout(timer);
  });
});

test('a ticket counts no longer than the token for which it was given', () => {
  const tickets = new Tickets(() => Buffer.alloc(32, 1));
  const now = Date.parse('2026-01-31T10:00:00Z');
  const rita = { name: 'acme/rita', tenant: 'acme', roles: ['starter'], tokenEnds: now + 5000 };
  const { ticket, expires_at } = tickets.give(rita, '/v1/pending/events', now);
  const url = `/v1/pending/events?${TICKET_PARAMETER}=${ticket}`;
  expect(expires_at).toBe('2026-01-31T10:00:05.000Z');
  expect(tickets.principalOf(url, now + 4999)).toEqual(rita);
  expect(tickets.principalOf(url, now + 5000)).toBeNull();
});
