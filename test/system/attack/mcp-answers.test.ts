/**
 * An MCP server is somebody else's program. It acts, and then answers as if it had refused: if that answer counted, the model
 * would repeat the payment. Nothing has happened for certain only if nothing was sent.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { CLIENT, guardedServer, type Guarded } from '../../support/packs/mcp/guarded-server';
import { withMcp, withServers, type McpEngine, type McpSetup, type Servers } from '../../engine/support/packs/mcp/mcp-engine';
import { eventually } from '../../engine/support/engine';
import { ask, say } from '../../support/scripted-model';

const SCRIPT = join(__dirname, '../../support/packs/mcp/fixtures/odd-server.mjs');

let file: string;
beforeEach(() => (file = join(tmpdir(), `holdfast-paid-${randomBytes(6).toString('hex')}`)));
afterEach(() => rmSync(file, { force: true }));

const program = () => ({ odd: { command: process.execPath, args: [SCRIPT], env: { LEDGER: file } } });
const payments = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean).length;

/** The model asks for the payment, and again if it is told that nothing has happened; a person approves each call that he is asked about. */
async function approvedThroughout({ start }: McpEngine): Promise<TurnView> {
  const turn = await start();
  return eventually('it has ended, or is in doubt', async () => {
    const view = await turn.status();
    if (view.ended_at !== null || view.state === 'in_doubt') return view;
    const [call] = await turn.pending();
    if (call) await turn.approve(call.digest, { by: 'ana' }).catch(() => undefined);
    return false;
  });
}

async function inDoubt(engine: McpEngine, paid: () => number): Promise<void> {
  const view = await approvedThroughout(engine);
  expect(view.calls).toMatchObject([{ state: 'in_doubt', effect: 'in_doubt' }]);
  expect(paid()).toBe(1);
  const turn = engine.client.turn(view.turn_id);
  const [call] = await turn.pending();
  await turn.settle(call!.digest, 'applied', { by: 'bob' });
  await eventually('it is settled', async () => (await turn.status()).calls[0]?.effect === 'applied');
  await turn.cancel();
  await turn.result();
  expect(paid()).toBe(1);
}

async function payAndErr(outside: Servers['outside']) {
  const { tools } = await outside.offered(['odd']);
  return tools.find(({ name }) => name === 'odd__pay_and_err')!;
}

/** What a tool is run with. */
const context = () => ({
  signal: new AbortController().signal,
  idempotencyKey: 'k',
  progress: () => undefined,
  network: (work: () => unknown) => work(),
});

const repeated = (input: { code?: number }): Pick<McpSetup, 'script'> => ({
  script: [ask(['odd__pay_and_err', input]), ask(['odd__pay_and_err', input]), say('done')],
});

describe('a server that pays and then answers as if it had not', () => {
  it.each([
    ['with JSON-RPC invalid params (-32602)', -32602],
    ['with a result that is an error', 0],
  ])('%s, has paid once: the call is in doubt, and nobody repeats it', (_how, code) =>
    withMcp({ servers: program(), ...repeated({ code }) }, (engine) => inDoubt(engine, payments)),
  );

  it('with HTTP 404, has paid once: the call is in doubt, and nobody repeats it', async () => {
    const upstream = await startPaying(() => 404);
    try {
      await withMcp({ servers: { odd: { type: 'http', url: upstream.url } }, ...repeated({}) }, (engine) =>
        inDoubt(engine, () => upstream.paid()),
      );
    } finally {
      await upstream.close();
    }
  });

  it('proves nothing with any error of JSON-RPC', () =>
    withServers({ servers: program() }, async ({ outside }) => {
      const tool = await payAndErr(outside);
      for (const code of [-32602, -32600, -32601, 4711, 0])
        await expect(tool.run({ code }, context() as never)).rejects.toMatchObject({ nothingHappened: false });
      expect(payments()).toBe(5);
    }));

  it('proves nothing with any status of HTTP', async () => {
    const statuses = [400, 401, 403, 404, 429, 503];
    const upstream = await startPaying((paid) => statuses[paid - 1]!);
    try {
      for (const [index] of statuses.entries())
        await withServers({ servers: { odd: { type: 'http', url: upstream.url } } }, async ({ outside }) => {
          const tool = await payAndErr(outside);
          await expect(tool.run({}, context() as never)).rejects.toMatchObject({ nothingHappened: false });
          expect(upstream.paid()).toBe(index + 1);
        });
    } finally {
      await upstream.close();
    }
  });
});

it('a server that pays, and then asks for another login, is not sent the payment again: the call is in doubt', async () => {
  let paid = 0;
  const server: Guarded = await guardedServer({
    onCall(response) {
      paid += 1;
      const challenge = `Bearer error="insufficient_scope", resource_metadata="${new URL('/described-here', server.url).href}", scope="look pay"`;
      response.writeHead(paid === 1 ? 403 : 404, { 'www-authenticate': challenge }).end();
    },
  });
  const oauth = { issuer: server.issuer, client_id: CLIENT.id, client_secret: '${SECRET}', scope: 'look' };
  const servers = { odd: { type: 'http' as const, url: server.url, oauth } };
  const script = [ask(['odd__pay', {}]), ask(['odd__pay', {}]), say('done')];
  try {
    await withMcp({ servers, env: { SECRET: CLIENT.secret }, script }, (engine) => inDoubt(engine, () => paid));
  } finally {
    await server.close();
  }
});

const accepted = { by: 'ana', at: '2026-01-01T00:00:00Z' };

describe('the proof that nothing has happened', () => {
  it('is an answer that a person has accepted as a refusal, from this server alone and with this code alone', async () => {
    const trusted = { odd: { '-32602': accepted }, other: { '-32600': accepted } };
    await withMcp({ servers: program(), trusted, ...repeated({ code: -32600 }) }, (engine) => inDoubt(engine, payments));
    await withMcp({ servers: program(), trusted, script: [ask(['odd__refuse', {}]), say('done')] }, async (engine) => {
      const { calls } = await approvedThroughout(engine);
      expect(calls).toMatchObject([{ state: 'failed', effect: 'not_applied', error: { reason: 'refused_by_server' } }]);
    });
  });

  it('is a server that cannot be reached when the call is due: nothing was sent', async () => {
    const upstream = await startPaying(() => 503);
    await withMcp({ servers: { odd: { type: 'http', url: upstream.url } }, waitMs: 1000, ...repeated({}) }, async (engine) => {
      const turn = await engine.start();
      const [call] = await turn.waitForPending();
      await upstream.close();
      await turn.approve(call.digest, { by: 'ana' });
      const first = await eventually('the first has ended', async () =>
        (await turn.status()).calls.find(({ effect }) => effect === 'not_applied'),
      );
      expect(first).toMatchObject({ state: 'failed' });
      expect(upstream.paid()).toBe(0);
      await turn.cancel();
      await turn.result();
    });
  });
});

/** A server over HTTP, which pays and then answers with a status. @param statusOf by how often it has paid */
async function startPaying(statusOf: (paid: number) => number): Promise<{ url: string; paid(): number; close(): Promise<void> }> {
  let paid = 0;
  const tools = [{ name: 'pay_and_err', description: 'Pays, and says that it has not.', inputSchema: { type: 'object' } }];
  const answers: Record<string, (params: { protocolVersion?: string }) => object> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    }),
    'tools/list': () => ({ tools }),
    ping: () => ({}),
  };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      if (method === 'tools/call') {
        paid += 1;
        return void response.writeHead(statusOf(paid)).end('not paid');
      }
      const result = answers[method]?.(params);
      if (result === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    paid: () => paid,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
