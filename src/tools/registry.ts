/** The tools of each agent, compiled once: schema, validator, text. Maps throughout, so that only own names are found. */
import type { Agent, App } from '../agents/define';
import type { ModelTool } from '../model/provider';
import { hashJson } from '../shared/digests';
import type { JsonObject } from '../shared/json';
import type { Tool } from './define';
import { describe } from './describe';
import { readResult } from './read-result';
import { compile, inputSchema, type Validator } from './schema';

export interface PreparedTool {
  tool: Tool;
  schema: JsonObject;
  validate: Validator;
}

export interface PreparedAgent {
  agent: Agent;
  tools: Map<string, PreparedTool>;
  /** As the model is told, in a stable order. */
  catalogue: ModelTool[];
  /** Hash of the permission rules: part of every call's digest. */
  policyRef: string;
}

export class Registry {
  private readonly agents = new Map<string, PreparedAgent>();

  /** @throws Error when a tool's schema does not compile */
  constructor(app: App) {
    for (const agent of app.agents) this.agents.set(agent.name, prepareAgent(agent));
  }

  agent(name: string): PreparedAgent | undefined {
    return this.agents.get(name);
  }

  names(): string[] {
    return [...this.agents.keys()];
  }
}

function prepareAgent(agent: Agent): PreparedAgent {
  const all = agent.tools.some((tool) => tool.name === readResult.name) ? agent.tools : [...agent.tools, readResult];
  const tools = new Map(all.map((tool) => [tool.name, prepareTool(tool)]));
  const catalogue = [...tools.values()].map(({ tool, schema }) => ({
    name: tool.name,
    description: describe(tool),
    input_schema: schema,
  }));
  const { permissions, approvalExpiryMs } = agent;
  const policyRef = hashJson({ v: 'holdfast.policy/1', permissions: { ...permissions }, approval_expiry_ms: approvalExpiryMs });
  return { agent, tools, catalogue, policyRef };
}

function prepareTool(tool: Tool): PreparedTool {
  const schema = inputSchema(tool.input as JsonObject);
  return { tool, schema, validate: compile(schema) };
}
