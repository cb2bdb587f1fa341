/** A token ends while a client of a protocol reads a stream: the client hears of it, or resumes with another token. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { gatewayApp } from '../../../src/gateway/app';
import { createPrincipal, type Authenticator } from '../../../src/gateway/auth/principals';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { gatewayParts } from '../../support/gateway';
import { reads } from '../../support/tools';

const JSON_TYPE = { authorization: 'Bearer x', 'content-type': 'application/json' };
const registers = {
  update: (_name: string, change: (value: null, now: number) => { answer: unknown }) => change(null, 0).answer,
};
const store = { derivedKey: () => Buffer.alloc(32), registers } as never;
const app = defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools: [reads('look', () => 1)] })] });

/** A gateway whose Temporal never answers. */
async function withGateway(body: (url: string, token: { counts: boolean; looks: number }) => Promise<void>): Promise<void> {
  const token = { counts: true, looks: 0 };
  const authenticator: Authenticator = {
    hint: '',
    authenticate: async () => {
      token.looks += 1;
      return token.counts ? createPrincipal('acme/rita', ['starter']) : null;
    },
  };
  const client = () => new Promise<never>(() => undefined);
  const parts = { store, authenticator, client, catalogue: async () => catalogueOf(app), streams: { tokenLookMs: 20 } };
  const gateway = gatewayApp(gatewayParts(parts));
  await gateway.listen({ port: 0, host: '127.0.0.1' });
  try {
    await body(`http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`, token);
  } finally {
    gateway.server.closeAllConnections();
    await gateway.close();
  }
}

it('a run of AG-UI ends with an error that says so', () =>
  withGateway(async (url, token) => {
    const run = { threadId: 'chat', runId: 'run', messages: [{ id: 'm', role: 'user', content: 'Hi.' }], tools: [], context: [] };
    const answer = await fetch(`${url}/v1/ag-ui/tester`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(run) });
    token.counts = false;
    const events = [...(await answer.text()).matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as object);
    expect(events).toEqual([
      expect.objectContaining({ type: 'RUN_STARTED' }),
      {
        type: 'RUN_ERROR',
        code: 'no_principal',
        message: 'The token of this request has ended. What was begun goes on; ask for it again with a new token.',
      },
    ]);
  }));

it('a stream of an MCP session breaks off, and goes on with another token', () =>
  withGateway(async (url, token) => {
    const clientInfo = { name: 'by hand', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const begun = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    await begun.text();
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')! };
    /** Its answer begins with its first event, so whether it is let in shows by the looks at its token. */
    const follow = async () => {
      const { looks } = token;
      const stream = fetch(`${url}/mcp`, { headers: { ...JSON_TYPE, ...session, accept: 'text/event-stream' } });
      const end = stream.then(async (answer) => (await answer.text(), answer.status)).catch(() => 'broken off');
      while (token.counts && token.looks < looks + 3) await sleep(5);
      return { end };
    };
    const { end } = await follow();
    token.counts = false;
    expect(await end).toBe('broken off');
    expect(await (await follow()).end).toBe(401);
    token.counts = true;
    await follow();
  }));
