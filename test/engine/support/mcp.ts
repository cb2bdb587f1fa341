/** MCP clients, and a gateway for them to talk to. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { McpDefinition } from '../../../src/agents/mcp';
import { serveGateway, type RunningGateway } from '../../../src/gateway/serve';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { InProcessLive } from '../../../src/live/in-process';
import { withEngine, type Engine, type Setup } from './engine';
import { gatewayParts, type Person } from '../../support/gateway';
import { Signers } from '../../support/signers';
import type { GatewayParts } from '../../../src/gateway/route';
import type { Tool } from '../../../src/tools/define/tool';
import type { AgentDefinition } from '../../../src/agents/agent';

export { textOf } from '../../support/mcp-text';

export interface McpScene extends Engine {
  gateway: RunningGateway;
  /** Connected as somebody; `asked` answers what the server asks of the person. */
  connect(as: Person, options?: { asked?: (message: string) => Promise<ElicitResult>; agent?: string }): Promise<Client>;
  post(body: unknown, headers: Record<string, string>): Promise<{ status: number; body: any; headers: Headers }>;
}

export interface McpSetup extends Partial<Omit<Setup, 'agent'>> {
  people: Person[];
  agents?: AgentDefinition[];
  /** What the app offers besides its tools. */
  mcp?: McpDefinition;
  parts?: Partial<GatewayParts>;
}

/** An agent whose rules let the requester approve too. */
const plainAgent = (tools: Tool[]): AgentDefinition => ({
  name: 'tester',
  prompt: 'Test.',
  tools,
  approvals: { fourEyes: false },
});

/**
 * None: where the server ends two streams of a client, the SDK's transport forgets the timer of the first, and its `close` does
 * not clear it. That one keeps a process of Jest from ending.
 */
const reconnectionOptions = {
  maxRetries: 0,
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1,
};

/** A gateway over an engine whose app it knows, with signed decisions. */
export async function withMcp(setup: McpSetup, body: (scene: McpScene) => Promise<void>): Promise<void> {
  const { people, agents = [plainAgent(setup.tools ?? [])], mcp, parts: more, ...engineSetup } = setup;
  const app = defineApp({ agents: agents.map(defineAgent), ...(mcp ? { mcp } : {}) });
  const signers = new Signers();
  const settings = { approvals: 'attested' as const, trust: signers.trust, live: new InProcessLive() };
  const signingKey = await signers.file(signers.gateway);
  await withEngine({ ...engineSetup, app, settings, signingKey }, async (engine) => {
    const catalogue = async () => catalogueOf(app);
    const base = { people, store: engine.store, key: signers.gateway, client: async () => engine.client, catalogue };
    const gateway = await serveGateway(gatewayParts({ ...base, ...more }), { host: '127.0.0.1', port: 0 });
    const clients: Client[] = [];
    const connect: McpScene['connect'] = async (as, { asked, agent } = {}) => {
      const capabilities = asked ? { elicitation: { form: {} } } : {};
      const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
      if (asked) client.setRequestHandler(ElicitRequestSchema, ({ params }) => asked(params.message));
      const url = new URL(`${gateway.url}/mcp${agent === undefined ? '' : `?agent=${agent}`}`);
      const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: as.headers }, reconnectionOptions });
      await client.connect(transport);
      clients.push(client);
      return client;
    };
    const post: McpScene['post'] = async (sent, headers) => {
      const response = await fetch(`${gateway.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(sent),
      });
      const text = await response.text();
      const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
      return { status: response.status, body: json.startsWith('{') ? JSON.parse(json) : null, headers: response.headers };
    };
    try {
      await body({ ...engine, gateway, connect, post });
    } finally {
      await Promise.all(clients.map((client) => client.close()));
      await gateway.close();
      signers.remove();
    }
  });
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } },
};
