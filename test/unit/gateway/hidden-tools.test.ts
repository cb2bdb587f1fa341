/** A tool that this environment, this day or this principal may not use is in no list: by HTTP, and for an MCP client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { gatewayApp } from '../../../src/gateway/app';
import { offersBy } from '../../../src/protocols/mcp/offers';
import { createMcpEndpoint } from '../../../src/protocols/mcp/server';
import { createPrincipal } from '../../../src/gateway/auth/principals';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { gatewayParts, person } from '../../support/gateway';
import { silent } from '../../support/silent';
import { pays, reads } from '../../support/tools';

const tools = [
  reads('here', () => 1),
  reads('only_live', () => 1, { environments: ['live'] }),
  reads('retired', () => 1, { deprecated: true, sunsetDate: '2026-01-31', replacement: 'here' }),
  pays('pay', []),
];
const permissions = { deny: [{ rule: 'pay', when: 'turn.requester != "ana"' }] };
const app = defineApp({ agents: [defineAgent({ name: 'clerk', prompt: 'p', tools, permissions })] });
const catalogue = catalogueOf(app, 'test');
const people = { ana: person('ana', 'starter'), bob: person('bob', 'starter') };

const LISTED = [
  ['ana', ['here', 'pay']],
  ['bob', ['here']],
] as const;
const ours = (names: string[]) => names.filter((name) => tools.some((tool) => tool.name === name)).sort();

test.each(LISTED)('GET /tools tells %s of %j', async (name, expected) => {
  const gateway = gatewayApp(gatewayParts({ people: Object.values(people), catalogue: async () => catalogue }));
  const answer = await gateway.inject({ url: '/tools', headers: people[name].headers });
  await gateway.close();
  expect(answer.statusCode).toBe(200);
  expect(ours(answer.json().tools.map((tool: { name: string }) => tool.name))).toEqual(expected);
});

test.each(LISTED)('an MCP client of %s is offered %j, and can call nothing else', async (name, expected) => {
  const parts = {
    client: () => Promise.reject(new Error('It need not run.')),
    log: silent,
    decide: () => null,
    answer: () => null,
    mcp: {},
  };
  const face = createMcpEndpoint({
    ...parts,
    offers: () => offersBy(catalogue)(name)!,
    principal: () => createPrincipal(name, ['starter']),
  });
  const client = new Client({ name: 'test', version: '1' }, {});
  const [server, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([face.server.connect(server), client.connect(theirs)]);
  const { tools: listed } = await client.listTools();
  expect(ours(listed.map((tool) => tool.name))).toEqual(expected);
  for (const hidden of tools.filter((tool) => !(expected as readonly string[]).includes(tool.name)))
    await expect(client.callTool({ name: hidden.name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
  await client.close();
});
