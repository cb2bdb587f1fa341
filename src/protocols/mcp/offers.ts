/**
 * Defines the tools that MCP clients get: the tools of the agents, each under that agent's rules, the agents themselves, and a
 * tool that reports the outcome of a call that had to wait.
 */
import { ASK_PERSON } from '../../shared/approval/person-question';
import { WAIT_UNTIL } from '../../shared/turn/turn-states';
import { toMcp, type ToolJson } from '../../tools/convert';
import type { McpDefinition } from '../../agents/mcp';
import type { ToolCatalogue, ToolEntry } from '../../gateway/tool-catalogue';
import type { Tool as ListedTool, Server, ServerCapabilities } from './sdk';
import { type AppAnswers, offerCompletion, offerPrompts } from './app-prompts';
import { offerResources } from './app-resources';
import { ToolLogs } from './progress';
import { sha256Hex } from '../../shared/json/sha256';

export type Offer = { listing: ListedTool } & (
  | { kind: 'tool'; tool: string; agent: string }
  | { kind: 'agent'; agent: string }
  | { kind: 'outcome' }
);

/** By the name that a client calls. */
export type Offers = ReadonlyMap<string, Offer>;

export const OUTCOME_TOOL = 'holdfast_outcome';
/** They need a turn: `read_result` reads its results, `ask_person` asks for its model, and with `wait_until` it waits. */
const NOT_OFFERED = new Set(['read_result', ASK_PERSON, WAIT_UNTIL]);
/** Longest tool name that vendors' APIs accept; MCP itself accepts longer ones. */
const MOST_NAME = 64;

/** The offers for a principal now, of one agent or of all: the same object until they change. Null if there is no such agent. */
export type OffersBy = (principal: string, agent?: string) => Offers | null;

export function offersBy(catalogue: ToolCatalogue): OffersBy {
  const cache = new WeakMap<readonly ToolEntry[], Map<string | undefined, Offers>>();
  return (principal, agent) => {
    const entries = catalogue.callable(principal);
    if (agent !== undefined && !entries.some((entry) => entry.agents.includes(agent))) return null;
    const byAgent = cache.get(entries) ?? new Map<string | undefined, Offers>();
    const offers = byAgent.get(agent) ?? offersOf(entries, agent);
    cache.set(entries, byAgent.set(agent, offers));
    return offers;
  };
}

/** @param only offers of this agent only */
export function offersOf(entries: readonly ToolEntry[], only?: string): Offers {
  const pairs = entries.filter(isOffered).flatMap(withAgents);
  const inScope = pairs.filter(({ agent }) => only === undefined || agent === only);
  const offers = new Map<string, Offer>([[OUTCOME_TOOL, { kind: 'outcome', listing: OUTCOME }]]);
  for (const { agent, entry } of inScope) {
    // Each agent has its own rules: the name says whose rules apply.
    const isShared = inScope.filter((other) => other.entry.name === entry.name).length > 1;
    const name = freeName(offers, isShared ? `${agent}__${entry.name}` : entry.name);
    offers.set(name, { kind: 'tool', tool: entry.name, agent, listing: listedTool(name, entry, isShared ? agent : null) });
  }
  const agents = entries.flatMap((entry) => entry.agents);
  for (const agent of new Set(agents.filter((name) => only === undefined || name === only))) {
    const name = freeName(offers, `ask_${agent}`);
    const tools = inScope.filter((pair) => pair.agent === agent).map(({ entry }) => entry.name);
    offers.set(name, { kind: 'agent', agent, listing: listedAgent(name, agent, tools) });
  }
  return offers;
}

/** Internal tools are not shown to models. An agent that is a tool of another agent is offered as the agent. */
function isOffered({ name, internal_only, class: toolClass }: ToolEntry): boolean {
  return !internal_only && toolClass !== 'agent' && !NOT_OFFERED.has(name);
}

function withAgents(entry: ToolEntry): { agent: string; entry: ToolEntry }[] {
  return entry.agents.map((agent) => ({ agent, entry }));
}

/** The wanted name, if possible: characters that are not allowed become `_`; a name that is taken or too long ends in a hash. */
function freeName(offers: Offers, wish: string): string {
  const name = wish.replace(/[^A-Za-z0-9_-]/g, '_');
  if (name.length <= MOST_NAME && !offers.has(name)) return name;
  const hash = sha256Hex(wish).slice(0, 8);
  return `${name.slice(0, MOST_NAME - hash.length - 1)}_${hash}`;
}

function listedTool(name: string, { agents, ...definition }: ToolEntry, agent: string | null): ListedTool {
  const { value } = toMcp(definition satisfies ToolJson);
  const under = agent === null ? '' : ` (Under the rules of the agent ${agent}.)`;
  return { ...value, name, description: `${value.description}${under}` } as ListedTool;
}

function listedAgent(name: string, agent: string, tools: readonly string[]): ListedTool {
  return {
    name,
    description:
      `Starts a turn of the agent ${agent}, and answers with what it says in the end. ${tools.length === 0 ? '' : `It works by itself with: ${tools.join(', ')}. `}` +
      'What it wants to do that can do harm waits for a person first.',
    inputSchema: {
      type: 'object',
      properties: {
        message: {
          type: 'string',
          minLength: 1,
          maxLength: 100_000,
          description: 'What it is asked, with all that it must know.',
        },
      },
      required: ['message'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        turn_id: { type: 'string' },
        state: { type: 'string' },
        text: { type: 'string' },
        result: { type: 'object', description: 'The data that the agent gives, if it gives any.' },
      },
      required: ['turn_id', 'state', 'text'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  };
}

const OUTCOME: ListedTool = {
  name: OUTCOME_TOOL,
  description:
    'Tells what became of a call that had not ended when its answer came, because it waited for a person or took long. ' +
    'Waits a while for its end, and then answers as the call would have. Ask this instead of calling the tool again.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1, maxLength: 300, description: 'The id that the answer gave.' },
      wait_seconds: { type: 'integer', minimum: 0, maximum: 50, default: 20, description: 'How long to wait for its end.' },
    },
    required: ['id'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

// What the app offers besides tools, on one server. What the app does not define is not offered.

export function capabilitiesOf({
  prompts = [],
  resources = [],
  resourceTemplates = [],
  toolLogs,
}: McpDefinition): ServerCapabilities {
  const completions = [
    ...prompts.flatMap((prompt) => Object.values(prompt.arguments ?? {}).map(({ complete }) => complete)),
    ...resourceTemplates.flatMap(({ complete }) => Object.values(complete ?? {})),
  ];
  return {
    ...(prompts.length > 0 ? { prompts: {} } : {}),
    ...(resources.length + resourceTemplates.length > 0 ? { resources: { subscribe: true } } : {}),
    ...(completions.some((complete) => complete !== undefined) ? { completions: {} } : {}),
    ...(toolLogs === true ? { logging: {} } : {}),
  };
}

export interface OfApp {
  /** Null: clients get no logs. */
  logs: ToolLogs | null;
  /** The client is gone: stops watching resources for it. */
  end(): void;
}

/** @param capabilities from `capabilitiesOf`; the server was made with them */
export function offerOfApp(server: Server, app: AppAnswers, capabilities: ServerCapabilities): OfApp {
  if (capabilities.prompts) offerPrompts(server, app);
  if (capabilities.completions) offerCompletion(server, app);
  const subscriptions = capabilities.resources ? offerResources(server, app) : null;
  const logs = capabilities.logging ? new ToolLogs(server) : null;
  return { logs, end: () => subscriptions?.end() };
}
