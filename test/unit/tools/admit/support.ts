import { defineAgent, defineApp, type AgentPermissions } from '../../../../src/agents/define';
import { defineTool } from '../../../../src/tools/define/define';
import { decide } from '../../../../src/rules';
import { factsOf, type Verdict, type TurnFacts } from '../../../../src/tools/admit/policy';
import { TRUSTED } from '../../../support/rules';
import { Registry, type PreparedAgent } from '../../../../src/tools/catalogue/registry';
import type { Tool, ToolDefinition } from '../../../../src/tools/define/tool';
import type { AgentDefinition } from '../../../../src/agents/agent';

export { TRUSTED };

export function tool(name: string, more: Partial<ToolDefinition<any>> = {}): Tool {
  return defineTool({
    name,
    version: '1.0.0',
    class: 'read',
    description: `The tool ${name}.`,
    input: { type: 'object', additionalProperties: true },
    run: () => null,
    ...more,
  } as never);
}

/** One of each class, with a target of each kind. */
export const TOOLS = [
  tool('look'),
  tool('edit_file', { class: 'write', ruleTarget: { kind: 'path', of: ({ path }: any) => path } }),
  tool('send', { class: 'destructive', egress: true, ruleTarget: { kind: 'text', of: ({ to }: any) => to } }),
  tool('bash', { class: 'destructive', ruleTarget: { kind: 'command', of: ({ command }: any) => command } }),
  tool('post', { class: 'write', egress: true }),
  tool('fetch', { egress: true }),
  tool('delegate', { class: 'agent' }),
];

export function prepared(
  permissions: Partial<AgentPermissions> = {},
  tools: Tool[] = TOOLS,
  more: Partial<AgentDefinition> = {},
): PreparedAgent {
  const agent = defineAgent({ name: 'a', prompt: 'p', tools, permissions, ...more });
  return new Registry(defineApp({ agents: [agent] })).agent('a')!;
}

const known = new Map<string, PreparedAgent>();

/** Agents of the same rules once: tables ask about them a hundred times. */
function remembered(permissions: Partial<AgentPermissions>, tools: Tool[]): PreparedAgent {
  if (tools !== TOOLS) return prepared(permissions, tools);
  const key = JSON.stringify(permissions);
  const agent = known.get(key) ?? prepared(permissions, tools);
  known.set(key, agent);
  return agent;
}

export function verdict(
  permissions: Partial<AgentPermissions>,
  name: string,
  input: Record<string, unknown> = {},
  turn: Partial<TurnFacts> = {},
  tools = TOOLS,
): Verdict {
  const agent = remembered(permissions, tools);
  const { tool: named } = agent.tools.get(name)!;
  return decide(agent.policy, factsOf({ tool: named, input: input as never, turn: { ...TRUSTED, ...turn } }));
}
