import { connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import fastify from 'fastify';
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
