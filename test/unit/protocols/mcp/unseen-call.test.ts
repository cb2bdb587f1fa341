/** A call has begun, and what becomes of it cannot be seen: the client learns its id, and that it must not call again. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { NoWorker } from '../../../../src/client/errors';
import { createPrincipal } from '../../../../src/gateway/auth/principals';
import { catalogueOf } from '../../../../src/gateway/tool-catalogue';
import { offersBy } from '../../../../src/protocols/mcp/offers';
import { createMcpEndpoint } from '../../../../src/protocols/mcp/server';
import { capturedLog } from '../../../support/captured-log';
import { textOf } from '../../../support/mcp-text';
import { reads } from '../../../support/tools';

async function callWith(failure: Error): Promise<{ text: string; meta: unknown; said: object[] }> {
  const app = defineApp({ agents: [defineAgent({ name: 'a', prompt: 'A.', tools: [reads('book', () => 1)] })], mcp: {} });
  const offers = offersBy(catalogueOf(app));
  const turn = {
    id: 'call-1',
    uiUrl: null,
    async *watch() {
      throw failure;
    },
  };
  const captured = capturedLog();
  const endpoint = createMcpEndpoint({
    client: async () => ({ call: async () => ({ turn }) }) as never,
    log: captured.log,
    decide: () => null,
    answer: () => null,
    mcp: app.mcp!,
    offers: () => offers('ada')!,
    principal: () => createPrincipal('ada', ['starter']),
  });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([endpoint.server.connect(ours), client.connect(theirs)]);
  const result = await client.callTool({ name: 'book', arguments: {} });
  await client.close();
  return {
    text: textOf(result as never),
    meta: result._meta,
    said: captured.said('an MCP call that has begun could not be watched'),
  };
}

it.each([
  ['no worker answers', new NoWorker('say which calls wait')],
  ['the connection to Temporal is lost', new Error('14 UNAVAILABLE: connection dropped')],
])('%s', async (_, failure) => {
  const { text, meta, said } = await callWith(failure);
  expect(text).toContain('Do not call the tool again');
  expect(text).toContain('{"id": "call-1"}');
  expect(text).not.toContain('retryable');
  expect(meta).toEqual({ 'holdfast/call': { id: 'call-1', state: 'running', ui_url: null } });
  expect(said).toHaveLength(1);
});
