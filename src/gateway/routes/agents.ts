/** Routes for the agents of the app: list, show, and check which rule would decide a call. Nothing of an agent runs here. */
import { z } from 'zod';
import { describeAgent, summarizeAgent } from '../../agents/describe-agent';
import { agentSummary, agentView, explanation, type AgentView, type ExplanationView } from '../../shapes/agent-view';
import { jsonObject } from '../../shapes/envelope';
import { explain, explanationView } from '../../tools/lint/explain-permission';
import { ROLES } from '../auth/principals';
import { Refusal } from '../http/errors';
import type { GatewayParts, Route } from '../route';
import { agentName, answer, answers, body, jsonSchema, postHeaders } from '../schemas/common';
import type { ToolCatalogue } from '../tool-catalogue';

const tags = ['agents'];
const READS_PROMPTS: readonly string[] = ['auditor', 'admin'];

const params = jsonSchema(z.object({ name: agentName }));
const list = z.object({ agents: z.array(agentSummary) });
const checkBody = z.strictObject({
  tool: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  input: jsonObject,
  requester: z.string().min(1).max(200).optional().describe('Who would have asked for the turn. Default: you.'),
  untrusted: z.boolean().optional().describe('true: as if the conversation had read text of outsiders.'),
});

const exampleSummary = { name: 'payables', model: null, mode: 'default', tools: ['pay_invoice'], mcp_servers: [] };
const exampleTool = {
  ...{ name: 'pay_invoice', version: '1.0.0', class: 'destructive', description: 'Pays an invoice.', agent: null },
  words: [
    'By a rule it runs by itself, for pay_invoice when input.cents < 1000.',
    'Otherwise it asks a person: class destructive always asks.',
  ],
  rules: [{ effect: 'allow', rule: 'pay_invoice when input.cents < 1000', why: null }],
  approval_entries: [],
  budgets: ['daily'],
};
const exampleApproval = { channel: 'any', quorum: 2, roles: [], four_eyes: false, remind_ms: [], notify: true } as const;
const exampleView = {
  ...exampleSummary,
  prompt: null,
  tools: [exampleTool],
  limits: { steps: 40, tokens: 2_000_000, cost_usd: 20, time_ms: 3_600_000 },
  approval_expiry_ms: 86_400_000,
  permissions: { mode: 'default', allow: [{ rule: 'pay_invoice', when: 'input.cents < 1000' }], ask: [], deny: [] },
  approvals: { quorum: 2 },
  budgets: [],
  result: null,
};
const exampleExplanation = {
  ...{ agent: 'payables', tool: 'pay_invoice', version: '1.0.0', class: 'destructive', mode: 'default', fault: null },
  ...{ input: { invoice: 'INV-7', cents: 125_000 }, hooks: [], rules: [], verdict: 'ask', words: 'it asks a person' },
  ...{ reason: 'class destructive always asks', rule: null, warnings: [], approval: exampleApproval },
};

const schemas = {
  list: {
    summary: 'List the agents',
    description: 'Those of the app that this gateway serves.',
    tags,
    response: answers({ 200: answer('All agents.', list, { agents: [exampleSummary] }) }),
  },
  show: {
    summary: 'Show an agent',
    description:
      'Its tools and their rules in words, who must approve, budgets and limits. Its prompt only to the roles `auditor` and `admin`.',
    tags,
    params,
    response: answers({ 200: answer('The agent.', agentView, exampleView) }, 404),
  },
  check: {
    summary: 'Check which rule decides a call',
    description: 'As `holdfast tools check`. Runs nothing: neither tool nor hook nor classifier.',
    tags,
    params,
    headers: postHeaders,
    body: body(checkBody, { tool: 'pay_invoice', input: { invoice: 'INV-7', cents: 125_000 } }),
    response: answers({ 200: answer('What would happen, and why.', explanation, exampleExplanation) }, 404, 409),
  },
};

interface OfAgent {
  Params: { name: string };
}

export const agents: Route = (app, parts) => {
  app.get<{ Reply: z.infer<typeof list> }>('/v1/agents', { schema: schemas.list, config: { roles: ROLES } }, async (_, reply) => {
    const served = (await parts.catalogue?.())?.agents ?? [];
    return reply.header('cache-control', 'no-store').send({ agents: served.map(summarizeAgent) });
  });

  app.get<OfAgent & { Reply: AgentView }>(
    '/v1/agents/:name',
    { schema: schemas.show, config: { roles: ROLES } },
    async ({ params: { name }, principal }, reply) => {
      const found = (await catalogueOf(parts, name)).agents.find((agent) => agent.name === name);
      if (found === undefined) throw unknownAgent(name);
      const withPrompt = principal.roles.some((role) => READS_PROMPTS.includes(role));
      return reply.header('cache-control', 'no-store').send(describeAgent(found, withPrompt));
    },
  );

  app.post<OfAgent & { Body: z.infer<typeof checkBody>; Reply: ExplanationView }>(
    '/v1/agents/:name/check',
    { schema: schemas.check, config: { roles: ROLES } },
    async ({ params: { name }, principal, body: { tool, input, requester = principal.name, untrusted = false } }, reply) => {
      const agent = (await catalogueOf(parts, name)).prepared(name);
      if (agent === undefined) throw unknownAgent(name);
      const explained = await explain(agent, tool, input, { untrusted, requester, agent: name, step: 1 });
      if (explained === null) {
        const message = `The agent ${name} has no tool ${JSON.stringify(tool)}. GET /v1/agents/${name} lists those that it has.`;
        throw new Refusal({ code: 'TOOL_NOT_FOUND', reason: 'unknown_tool', message });
      }
      return reply.header('cache-control', 'no-store').send(explanationView(name, explained));
    },
  );
};

async function catalogueOf({ catalogue }: GatewayParts, name: string): Promise<ToolCatalogue> {
  const loaded = await catalogue?.();
  if (loaded === undefined) throw unknownAgent(name);
  return loaded;
}

function unknownAgent(name: string): Refusal {
  const message = `There is no agent ${JSON.stringify(name)}. GET /v1/agents lists those that there are.`;
  return new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_agent', message });
}
