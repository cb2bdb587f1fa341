/** Makes a tool of an agent: another agent answers each call of it, in a turn of its own. */
import { z } from 'zod';
import { type JsonObject, unknownFields } from '../shared/json/json';
import { defineTool } from '../tools/define/define';
import { ToolError } from '../tools/define/errors';
import type { SubAgent, Tool, ToolDefinition } from '../tools/define/tool';
import { limitFaults, LIMIT_NAMES, type AgentLimits } from './limits';
import { isAgent, type Agent } from './agent';

/** Longest task that a model may give, characters. */
const LONGEST_TASK = 20_000;
/** How much of an answer the model reads at once, bytes; it reads the rest by reference. */
const ANSWER_BYTES = 16_384;

type PassThroughField = 'description' | 'check' | 'ruleTarget' | 'group' | 'egress' | 'concurrencySafe' | 'summarize';

// oxlint-disable-next-line typescript/no-explicit-any -- a JSON Schema gives no type: the author's functions say what they take
export interface AgentToolDefinition<I = any> extends Pick<ToolDefinition<I>, PassThroughField> {
  /** Name of the tool. Default: the agent's, with `_` for characters that tool names may not have. */
  name?: string;
  /** Default 1.0.0. */
  version?: string;
  /** Default: `{task}`, a text of at most 20,000 characters. To be set together with `message`. */
  input?: z.ZodType<I> | JsonObject;
  /** Makes the sub-agent's user message from an input. Pure. Default: the task. */
  message?(input: I): string;
  /** Limits of one call, below the sub-agent's own limits. */
  limits?: Partial<AgentLimits>;
  /** false: its answers cannot contain text of outsiders. Default true. */
  untrustedOutput?: boolean;
  /** Largest answer that the model reads at once, bytes. Default 16,384. */
  maxInlineBytes?: number;
}

const OF_AGENT_TOOL: Record<keyof AgentToolDefinition, true> = {
  ...{ name: true, version: true, description: true, input: true, message: true, limits: true, check: true, ruleTarget: true },
  ...{ group: true, egress: true, concurrencySafe: true, summarize: true, untrustedOutput: true, maxInlineBytes: true },
};

/**
 * Makes a tool of an agent, for `defineAgent({ tools: […] })`.
 * @param agent the agent, or the name of one of the app's agents
 * @throws Error that lists every fault
 */
// oxlint-disable-next-line typescript/no-explicit-any -- as in AgentToolDefinition
export function agentTool<I = any>(agent: Agent | string, definition: AgentToolDefinition<I>): Tool {
  if (!isAgent(agent) && typeof agent !== 'string')
    throw new Error('agentTool: agent must come from defineAgent(), or be the name of one');
  const {
    input,
    message,
    limits = {},
    name,
    version = '1.0.0',
    untrustedOutput = true,
    maxInlineBytes = ANSWER_BYTES,
    ...rest
  } = definition;
  const agentName = isAgent(agent) ? agent.name : agent;
  if ((input === undefined) !== (message === undefined))
    throw new Error(`agentTool(${JSON.stringify(agentName)}): give input and message together, or neither`);
  const unknown = [...unknownFields(definition, Object.keys(OF_AGENT_TOOL)), ...unknownFields(limits, LIMIT_NAMES, 'limits')];
  const faults = unknown.length > 0 ? unknown : limitFaults(limits);
  if (faults.length > 0) throw new Error(`agentTool(${JSON.stringify(agentName)}): ${faults.join('; ')}`);
  const tool = defineTool({
    ...rest,
    name: name ?? agentName.replace(/[^A-Za-z0-9_-]/g, '_'),
    version,
    class: 'agent',
    input: (input ?? TASK) as JsonObject,
    run: notAFunction,
    target: { agent: agentName },
    untrustedOutput,
    maxInlineBytes,
  });
  const subAgent: SubAgent = {
    name: agentName,
    ...(isAgent(agent) ? { agent } : {}),
    message: (message ?? taskOf) as SubAgent['message'],
    limits,
  };
  return Object.freeze({ ...tool, subAgent });
}

const TASK = z.object({
  task: z
    .string()
    .min(1)
    .max(LONGEST_TASK)
    .describe('What to do, and all that is needed for it: nothing of this conversation is known there.'),
});

function taskOf({ task }: { task: string }): string {
  return task;
}

function notAFunction(): never {
  throw new ToolError('EXECUTION_ERROR', 'not_a_function', 'A sub-agent answers this call, in a turn of its own.');
}

// The agents that an app's agents use as tools: finds all of them, and the circles in which agents would call themselves.

/** The agents and all sub-agents of their tools, each once; `resolve` gives an agent its tools. */
export function withSubAgents(agents: readonly Agent[], resolve: (agent: Agent) => Agent): { agents: Agent[]; faults: string[] } {
  const resolvedAgents = agents.map(resolve);
  const faults: string[] = [];
  for (const { name, tools } of resolvedAgents) {
    for (const { subAgent } of tools) {
      if (!subAgent) continue;
      const sameName = resolvedAgents.find((one) => one.name === subAgent.name);
      const ownAgent = isAgent(subAgent.agent) ? subAgent.agent : null;
      if (ownAgent && !sameName) resolvedAgents.push(resolve(ownAgent));
      else if (!sameName)
        faults.push(`agent ${name}: its tool asks agent ${JSON.stringify(subAgent.name)}, which the app does not have`);
      // An app's agents are copies that share the list `wanted`.
      else if (ownAgent && ownAgent.wanted !== sameName.wanted)
        faults.push(`agent ${name}: its tool asks an agent ${subAgent.name}, and the app has another one of that name`);
    }
  }
  return { agents: resolvedAgents, faults };
}

/** Circles in which agents would call themselves, each once: `a → b → a`. */
export function circles(agents: readonly { name: string; tools: readonly Tool[] }[]): string[] {
  const asks = new Map(agents.map(({ name, tools }) => [name, tools.flatMap(({ subAgent }) => subAgent?.name ?? [])]));
  const visitedNames = new Set<string>();
  const paths: string[] = [];
  const visit = (name: string, way: string[]): void => {
    if (way.includes(name)) return void paths.push([...way.slice(way.indexOf(name)), name].join(' → '));
    if (visitedNames.has(name)) return;
    for (const next of asks.get(name) ?? []) visit(next, [...way, name]);
    visitedNames.add(name);
  };
  for (const name of asks.keys()) visit(name, []);
  return paths;
}
