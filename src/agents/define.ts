/** What an agent is: a named model, prompt, toolset and limits. */
import type { JsonObject } from '../shared/json';
import { isTool, type Tool } from '../tools/define';

export interface AgentLimits {
  /** Model requests in one turn. Default 40. */
  steps: number;
  /** Input and output tokens in one turn. Default 2,000,000. */
  tokens: number;
  /** US dollars in one turn. Default 20. */
  costUsd: number;
  /** Working time in one turn, ms, without the time that calls wait for a person. Default 3,600,000. */
  timeMs: number;
}

export interface AgentPermissions {
  /** Tools that run without asking although their class asks. */
  allow: string[];
  /** Tools that ask although their class does not. */
  ask: string[];
  /** Tools that are refused. Wins over the others. */
  deny: string[];
}

export interface AgentDefinition {
  /** `[A-Za-z0-9._~-]{1,64}` */
  name: string;
  prompt: string;
  tools: Tool[];
  /** Model id. Default: the worker's setting (`ANTHROPIC_MODEL`). */
  model?: string;
  /** Largest answer of one step, tokens. Default 8192. */
  maxTokens?: number;
  /** Further fields of the model request (thinking, temperature…). */
  modelOptions?: JsonObject;
  /** The vendor's server-side tools that this agent may use, e.g. `{type:'web_search_20250305',name:'web_search'}`. They bypass admission. */
  serverTools?: JsonObject[];
  limits?: Partial<AgentLimits>;
  /** Calls of one batch that run at once. Default 5. */
  maxParallel?: number;
  /** One failed call of a batch cancels its siblings. Default false (docs/decisions). */
  siblingAbort?: boolean;
  /** How long a call waits for a person, ms. Default 24 h. */
  approvalExpiryMs?: number;
  permissions?: Partial<AgentPermissions>;
}

export interface Agent extends Required<Omit<AgentDefinition, 'model' | 'limits' | 'permissions'>> {
  readonly model: string | undefined;
  readonly limits: AgentLimits;
  readonly permissions: AgentPermissions;
  readonly [AGENT]: true;
}

const AGENT = Symbol.for('holdfast.agent');
const NAME = /^[A-Za-z0-9._~-]{1,64}$/;

/**
 * Checks an agent and fills in its defaults.
 * @throws Error that lists every fault
 */
export function defineAgent(definition: AgentDefinition): Agent {
  const faults: string[] = [];
  const fault = (condition: boolean, text: string) => condition && faults.push(text);
  const limits = { steps: 40, tokens: 2_000_000, costUsd: 20, timeMs: 3_600_000, ...definition.limits };
  const permissions = { allow: [], ask: [], deny: [], ...definition.permissions };
  const maxParallel = definition.maxParallel ?? 5;
  const approvalExpiryMs = definition.approvalExpiryMs ?? 24 * 3_600_000;
  const tools = definition.tools ?? [];
  const names = tools.map((tool) => tool?.name);

  fault(!NAME.test(definition.name), `name ${JSON.stringify(definition.name)} must match ${NAME.source}`);
  fault(typeof definition.prompt !== 'string' || definition.prompt.trim() === '', 'prompt is empty');
  fault(!tools.every(isTool), 'tools must come from defineTool()');
  fault(
    new Set(names).size !== names.length,
    `two tools have one name: ${names.filter((n, i) => names.indexOf(n) !== i).join(', ')}`,
  );
  fault(!(Number.isInteger(maxParallel) && maxParallel >= 1), `maxParallel is ${maxParallel}; it must be an integer from 1`);
  fault(!(approvalExpiryMs > 0), `approvalExpiryMs is ${approvalExpiryMs}; it must be positive`);
  for (const [key, value] of Object.entries(limits)) fault(!(value > 0), `limits.${key} is ${value}; it must be positive`);
  for (const name of [...permissions.allow, ...permissions.ask, ...permissions.deny]) {
    fault(!names.includes(name), `permissions name ${JSON.stringify(name)}, which is none of the agent's tools`);
  }
  if (faults.length > 0)
    throw new Error(`Agent ${JSON.stringify(definition.name)} is not well defined:\n- ${faults.join('\n- ')}`);

  return Object.freeze({
    name: definition.name,
    prompt: definition.prompt,
    tools,
    model: definition.model,
    maxTokens: definition.maxTokens ?? 8192,
    modelOptions: definition.modelOptions ?? {},
    serverTools: definition.serverTools ?? [],
    limits,
    maxParallel,
    siblingAbort: definition.siblingAbort ?? false,
    approvalExpiryMs,
    permissions,
    [AGENT]: true as const,
  });
}

/** True for what `defineAgent` returned, whichever copy of this package made it. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && AGENT in value;
}

export interface App {
  readonly agents: readonly Agent[];
}

/**
 * The agents that a worker serves; the default export of an app file.
 * @throws Error when two agents have one name
 */
export function defineApp(app: { agents: Agent[] }): App {
  const names = app.agents.map((agent) => agent.name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (!app.agents.every(isAgent)) throw new Error('defineApp: agents must come from defineAgent()');
  if (twice.length > 0) throw new Error(`defineApp: two agents have one name: ${twice.join(', ')}`);
  return Object.freeze({ agents: [...app.agents] });
}
