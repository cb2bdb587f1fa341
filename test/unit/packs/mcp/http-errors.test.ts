/** Errors of a connection over HTTP: a call is sent once, and a server cannot make us send any number of other requests. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Connection, serverOf } from '../../../../src/mcp';
import type { JsonObject } from '../../../../src/shared/json/json';
import { examiner } from '../../../../src/mcp/connection/examiner';
import { textOf } from '../../../support/mcp-text';
import { silent } from '../../../support/silent';

interface Post {
  path: string;
  id?: number | string;
  method?: string;
  params?: JsonObject;
}

/** Sends the result of a request in the way of the transport. */
type Reply = (result: JsonObject) => void;
/** True: the test has answered. */
type Answers = (post: Post, response: ServerResponse, reply: Reply) => boolean;

class TestServer {
  readonly posts: Post[] = [];
  /** The open stream of the HTTP transport of 2024. */
  stream: ServerResponse | null = null;
  streams = 0;
  private readonly http = createServer((request, response) => {
    const path = request.url!;
    if (request.method !== 'POST') return path === '/sse' ? this.openStream(response) : void response.writeHead(405).end();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => this.take({ ...(JSON.parse(body) as JsonObject), path }, response));
  });

  constructor(
    private readonly type: 'http' | 'sse',
    private readonly answers: Answers,
  ) {}

  async start(): Promise<Connection> {
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve));
    const url = `${this.base}/${this.type === 'sse' ? 'sse' : 'mcp'}`;
    const settings = { log: silent, loginFolder: 'unused', waitMs: 600_000, listMs: 600_000 };
    return new Connection(serverOf('bank', { type: this.type, url }), settings);
  }

  close(): Promise<unknown> {
    this.http.closeAllConnections();
    return new Promise((resolve) => this.http.close(resolve));
  }

  get base(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  count(matches: (post: Post) => boolean): number {
    return this.posts.filter(matches).length;
  }

  /** Other requests, one after the other: by the end of them, what the client sent at the same time has come too. */
  async roundTrips(count = 20): Promise<void> {
    for (let trip = 0; trip < count; trip++) await (await fetch(this.base)).text();
  }

  async until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await this.roundTrips(1);
  }

  private openStream(response: ServerResponse): void {
    this.stream = response;
    this.streams += 1;
    response.on('close', () => (this.stream = null));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /messages\n\n');
  }

  private take(post: Post, response: ServerResponse): void {
    this.posts.push(post);
    const { id, method, params } = post;
    const reply: Reply = (result) => {
      const text = JSON.stringify({ jsonrpc: '2.0', id, result });
      if (this.type === 'http') return void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      response.writeHead(202).end();
      this.stream?.write(`data: ${text}\n\n`);
    };
    if (this.answers(post, response, reply)) return;
    if (id === undefined || method === undefined) return void response.writeHead(202).end();
    if (method === 'initialize')
      return reply({ ...params, capabilities: { tools: {} }, serverInfo: { name: 'bank', version: '1' } });
    reply(method === 'tools/list' ? { tools: [] } : method === 'tools/call' ? text('done') : {});
  }
}

const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });
const isCallOf =
  (tool: string) =>
  ({ method, params }: Post) =>
    method === 'tools/call' && params?.name === tool;
const isPing = ({ method }: Post) => method === 'ping';
const isReply = ({ method }: Post) => method === undefined;
const calling = () => ({ signal: new AbortController().signal, meta: {}, progress: () => undefined, once: true });

async function withServer(
  type: 'http' | 'sse',
  answers: Answers,
  body: (server: TestServer, connection: Connection) => Promise<void>,
): Promise<void> {
  const server = new TestServer(type, answers);
  const connection = await server.start();
  try {
    await body(server, connection);
  } finally {
    await connection.close();
    await server.close();
  }
}

const events = (response: ServerResponse, datas: readonly string[]) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(datas.map((data) => `data: ${data}\n\n`).join(''));
const resultOf = ({ id }: Post) => JSON.stringify({ jsonrpc: '2.0', id, result: text('seen') });

describe('a redirect within the server', () => {
  it.each([
    ['http', 301],
    ['http', 302],
    ['http', 303],
    ['http', 307],
    ['http', 308],
    ['sse', 307],
    ['sse', 308],
  ] as const)('over %s (%i) is not followed, and the error says where it leads', (type, status) =>
    withServer(
      type,
      (post, response) => {
        if (post.method !== 'tools/call') return false;
        response.writeHead(status, { location: '/elsewhere/?key=secret' }).end('moved');
        return true;
      },
      async (server, connection) => {
        const error = await connection.call('pay', {}, calling()).catch((error: Error) => error);
        expect(server.count(({ method }) => method === 'tools/call')).toBe(1);
        expect((error as Error).message).toContain(`It redirects to ${server.base}/elsewhere/, and no redirect is followed.`);
      },
    ),
  );
});

describe('Streamable HTTP', () => {
  it('a server that refuses everything is asked by one ping, which is not repeated when it is refused too', () => {
    let refuses = false;
    return withServer(
      'http',
      (_post, response) => {
        if (refuses) response.writeHead(429).end();
        return refuses;
      },
      async (server, connection) => {
        await connection.tools(true);
        refuses = true;
        await expect(connection.call('look', {}, calling())).rejects.toThrow();
        await server.until(() => server.count(isPing) > 0);
        await server.roundTrips();
        expect(server.count(isPing)).toBe(1);
      },
    );
  });

  it('200 events that are no messages do not cause 200 pings', () =>
    withServer(
      'http',
      (post, response) => {
        if (!isCallOf('look')(post)) return false;
        events(response, [...Array<string>(200).fill('x'), resultOf(post)]);
        return true;
      },
      async (server, connection) => {
        expect(textOf(await connection.call('look', {}, calling()))).toBe('seen');
        await server.until(() => server.count(isPing) > 0);
        await server.roundTrips();
        expect(server.count(isPing)).toBeLessThan(20);
      },
    ));

  it('200 requests of the server get ten replies at a time', () => {
    const waiting: ServerResponse[] = [];
    let holds = true;
    return withServer(
      'http',
      (post, response) => {
        if (isReply(post) && holds) return waiting.push(response) > 0;
        if (!isCallOf('look')(post)) return false;
        const pings = Array.from({ length: 200 }, (_, n) => JSON.stringify({ jsonrpc: '2.0', id: `s${n}`, method: 'ping' }));
        events(response, [...pings, resultOf(post)]);
        return true;
      },
      async (server, connection) => {
        expect(textOf(await connection.call('look', {}, calling()))).toBe('seen');
        await server.until(() => server.count(isReply) >= 10);
        await server.roundTrips();
        expect(server.count(isReply)).toBe(10);
        holds = false;
        for (const response of waiting) response.writeHead(202).end();
        while (server.count(isReply) === 10) await connection.call('look', {}, calling());
      },
    );
  });
});

describe('an error that comes during a ping', () => {
  /** A client whose pings a test answers. */
  function client() {
    const pings: { answer: () => void; fail: (error: Error) => void }[] = [];
    const ping = () =>
      new Promise<object>((resolve, reject) => pings.push({ answer: () => resolve({}), fail: (error) => reject(error) }));
    const examine = examiner({ ping } as never, () => undefined, 0);
    const until = async (count: number) => {
      while (pings.length < count) await nextTurn();
    };
    return { pings, examine, until };
  }

  it('causes another one, whether the ping was refused or not', async () => {
    const { pings, examine, until } = client();
    for (const name of ['one', 'two', 'three', 'four']) examine(new Error(name));
    expect(pings).toHaveLength(1);
    pings[0]!.answer();
    await until(2);
    const refusal = new Error('refused');
    examine(refusal);
    examine(new Error('five'));
    pings[1]!.fail(refusal);
    await until(3);
  });

  it('causes none if it is that of the ping itself; a later error does', async () => {
    const { pings, examine, until } = client();
    examine(new Error('one'));
    const refusal = new Error('refused');
    examine(refusal);
    pings[0]!.fail(refusal);
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    expect(pings).toHaveLength(1);
    examine(new Error('two'));
    await until(2);
  });
});

describe('the HTTP transport of 2024', () => {
  it.each([
    ['is refused', (server: TestServer) => void server],
    ['comes with an event that is no message', (server: TestServer) => void server.stream!.write('data: x\n\n')],
  ])('a call goes on while another one %s', (_what, disturb) => {
    let pay: Reply | undefined;
    return withServer(
      'sse',
      (post, response, reply) => {
        if (isCallOf('look')(post)) response.writeHead(429).end();
        if (isCallOf('pay')(post)) pay = reply;
        return post.method === 'tools/call';
      },
      async (server, connection) => {
        const paid = connection.call('pay', {}, calling());
        paid.catch(() => undefined);
        await server.until(() => pay !== undefined);
        disturb(server);
        await expect(connection.call('look', {}, calling())).rejects.toThrow('429');
        pay!(text('paid'));
        expect(textOf(await paid)).toBe('paid');
        expect(server.streams).toBe(1);
      },
    );
  });

  it('a call ends with its stream', () =>
    withServer(
      'sse',
      ({ method }) => method === 'tools/call',
      async (server, connection) => {
        const paid = connection.call('pay', {}, calling());
        paid.catch(() => undefined);
        await server.until(() => server.count(isCallOf('pay')) > 0);
        server.stream!.destroy();
        await expect(paid).rejects.toThrow('Connection closed');
      },
    ));

  it('a session that the server no longer knows is replaced', () => {
    let knows = true;
    return withServer(
      'sse',
      (_post, response) => {
        if (!knows) response.writeHead(404).end();
        return !knows;
      },
      async (server, connection) => {
        await connection.tools(true);
        knows = false;
        await expect(connection.call('look', {}, calling())).rejects.toThrow('404');
        await server.until(() => server.stream === null);
        knows = true;
        expect(textOf(await connection.call('look', {}, calling()))).toBe('done');
        expect(server.streams).toBe(2);
      },
    );
  });
});

describe('a list of tools', () => {
  it('ends once its tools have more than 16 million characters, before all pages are read', () => {
    const note = 'x'.repeat(250_000);
    let page = 0;
    return withServer(
      'http',
      ({ method }, _response, reply) => {
        if (method !== 'tools/list') return false;
        page += 1;
        const tools = [1, 2, 3, 4].map((n) => ({ name: `tool_${page}_${n}`, note, inputSchema: { type: 'object' } }));
        reply({ tools, nextCursor: 'next' });
        return true;
      },
      async (_server, connection) => {
        await expect(connection.tools(true)).rejects.toThrow('more than 16777216 characters of JSON');
        expect(page).toBe(17);
      },
    );
  });
});
