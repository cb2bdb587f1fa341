/** What an agent is: a named model, prompt, toolset and limits. */
import type { ModelSettings } from '../model/prices';
import type { JsonObject } from '../shared/json';
import { unknownFields } from '../shared/unknown-fields';
import { approvalFaults, type Approvals } from '../rules/approvals';
import { budgetFaults, type Budget } from '../tools/budgets';
import { choiceFaults, choiceOf, type CatalogueDefinition, type Choice } from '../tools/catalogue/choice';
import { classifierFaults, type Classifier } from '../tools/classifier';
import { serverToolFaults } from '../tools/convert/server-tools';
import { isTool, type Tool } from '../tools/define';
import { hookFaults, joinHooks, type Hooks } from '../tools/hooks';
import { permissionFaults, withDefaults, type AgentPermissions } from '../tools/permission';
import { isFrom } from '../tools/tool-source';
import { referredName, type ToolReference } from '../tools/versions';
import { mcpFaults, type McpDefinition } from './mcp';
import { askFaults } from './mcp-asks';
import { circles, withSubAgents } from './sub-agents';
import { resolveTools, toolboxFaults } from './toolbox';

export type { AgentPermissions } from '../tools/permission';

export interface AgentLimits {
  /** Model requests in one turn. Default 40. */
  steps: number;
  /** Input and output tokens in one turn. Default 2,000,000. */
  tokens: number;
  /** US dollars in one turn. Default 20. An agent that sets it needs a model with a price (docs/models.md). */
  costUsd: number;
  /** Working time in one turn, ms, without the time that calls wait for a person. Default 3,600,000. */
  timeMs: number;
}

export interface AgentDefinition {
  /** `[A-Za-z0-9._~-]{1,64}` */
  name: string;
  prompt: string;
  /** Tools, or words for one of the app's `tools`: `name` (the highest version), `name@1.2.0`, `name@^1.2`. */
  tools: ToolReference[];
  /** Names of MCP servers whose tools it has besides, as they are when a turn begins (docs/mcp.md). */
  mcpServers?: readonly string[];
  /** Model id. Default: the worker's setting (`ANTHROPIC_MODEL`). Of prices: docs/models.md. */
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
  /** How many turns of sub-agents may stand below one of this agent's, one asking the next. Default 3, at most 10. */
  maxDepth?: number;
  /** How long a call waits for a person, ms. Default 24 h. */
  approvalExpiryMs?: number;
  /** Which calls run, ask or are refused (docs/permissions.md). */
  permissions?: Partial<AgentPermissions>;
  /** Who may approve, how many of them, and how it is told who they are (docs/approvals.md). */
  approvals?: Approvals;
  /** What its destructive calls may spend in a while, all together (docs/budgets.md). */
  budgets?: readonly Budget[];
  /** The app's hooks run before these. */
  hooks?: Partial<Hooks>;
  /** Decides in mode `auto` what the rules leave open. */
  classifier?: Classifier;
  /** A message to the running turn supersedes the calls that wait for a person: they are not run, and the model is told. Default false. */
  steerSupersedes?: boolean;
  /** The model's context window, tokens. Default 200,000. */
  contextWindow?: number;
  /** From this part of the context window on the conversation is compacted before the next step (docs/sessions.md). Default 0.8. */
  compactAt?: number;
  /** Which of its tools the model sees at once: `all` (the default), or a few with a way to find the others (docs/tools-at-scale.md). */
  catalogue?: CatalogueDefinition;
}

export interface Agent extends Required<
  Omit<
    AgentDefinition,
    'model' | 'limits' | 'permissions' | 'tools' | 'mcpServers' | 'catalogue' | 'hooks' | 'classifier' | 'approvals' | 'budgets'
  >
> {
  /** What `wanted` means; of an agent that is not part of an app yet, without what is only named. */
  readonly tools: Tool[];
  readonly wanted: readonly ToolReference[];
  readonly mcpServers: readonly string[];
  readonly model: string | undefined;
  readonly limits: AgentLimits;
  /** Whether its definition sets `limits.costUsd`: the default binds only where the model has a price. */
  readonly ownCostLimit: boolean;
  readonly permissions: AgentPermissions;
  readonly catalogue: Choice;
  readonly hooks: Hooks;
  readonly approvals: Approvals | undefined;
  readonly budgets: readonly Budget[] | undefined;
  readonly classifier: Classifier | undefined;
  readonly [AGENT]: true;
}

const AGENT = Symbol.for('holdfast.agent');
const NAME = /^[A-Za-z0-9._~-]{1,64}$/;
const DEFAULT_LIMITS: AgentLimits = { steps: 40, tokens: 2_000_000, costUsd: 20, timeMs: 3_600_000 };
/** A field that is left out here does not compile. */
const FIELDS: Readonly<Record<keyof AgentDefinition, true>> = {
  name: true,
  prompt: true,
  tools: true,
  mcpServers: true,
  model: true,
  maxTokens: true,
  modelOptions: true,
  serverTools: true,
  limits: true,
  maxParallel: true,
  siblingAbort: true,
  maxDepth: true,
  approvalExpiryMs: true,
  permissions: true,
  approvals: true,
  budgets: true,
  hooks: true,
  classifier: true,
  steerSupersedes: true,
  contextWindow: true,
  compactAt: true,
  catalogue: true,
};
export const LIMITS = Object.keys(DEFAULT_LIMITS);

/** Those that are none, one line each. A number that JSON cannot carry exactly could not be read from the record again. */
export function limitFaults(limits: Partial<AgentLimits>): string[] {
  const isLimit = (value: number) => value > 0 && (value <= Number.MAX_SAFE_INTEGER || value === Infinity);
  return Object.entries(limits)
    .filter(([, value]) => !isLimit(value))
    .map(([key, value]) => `limits.${key} is ${value}; it must be positive, and at most ${Number.MAX_SAFE_INTEGER} or Infinity`);
}

const MOST_DEPTH = 10;

/**
 * Checks an agent and fills in its defaults.
 * @throws Error that lists every fault
 */
export function defineAgent(definition: AgentDefinition): Agent {
  const faults: string[] = [];
  const fault = (condition: boolean, text: string) => condition && faults.push(text);
  const limits = { ...DEFAULT_LIMITS, ...definition.limits };
  const permissions = withDefaults(definition.permissions);
  const maxParallel = definition.maxParallel ?? 5;
  const approvalExpiryMs = definition.approvalExpiryMs ?? 24 * 3_600_000;
  const maxDepth = definition.maxDepth ?? 3;
  const contextWindow = definition.contextWindow ?? 200_000;
  const compactAt = definition.compactAt ?? 0.8;
  const wanted = definition.tools ?? [];
  const names = wanted.map(referredName);

  faults.push(...unknownFields(definition, [...Object.keys(FIELDS), 'wanted', 'ownCostLimit']));
  faults.push(...unknownFields(definition.limits, LIMITS, 'limits'));
  fault(!NAME.test(definition.name), `name ${JSON.stringify(definition.name)} must match ${NAME.source}`);
  fault(typeof definition.prompt !== 'string' || definition.prompt.trim() === '', 'prompt is empty');
  fault(
    !wanted.every((tool) => isTool(tool) || typeof tool === 'string'),
    "tools must come from defineTool(), or name one of the app's tools",
  );
  fault(
    new Set(names).size !== names.length,
    `two tools have one name: ${names.filter((n, i) => names.indexOf(n) !== i).join(', ')}`,
  );
  fault(!(Number.isInteger(maxParallel) && maxParallel >= 1), `maxParallel is ${maxParallel}; it must be an integer from 1`);
  fault(
    !(Number.isInteger(maxDepth) && maxDepth >= 0 && maxDepth <= MOST_DEPTH),
    `maxDepth is ${maxDepth}; it must be an integer from 0 to ${MOST_DEPTH}`,
  );
  fault(!(approvalExpiryMs > 0), `approvalExpiryMs is ${approvalExpiryMs}; it must be positive`);
  fault(
    !(Number.isInteger(contextWindow) && contextWindow >= 1000),
    `contextWindow is ${contextWindow}; it must be an integer from 1000, in tokens`,
  );
  fault(!(compactAt > 0 && compactAt <= 1), `compactAt is ${compactAt}; it must be a part of the window, above 0 and at most 1`);
  faults.push(...limitFaults(limits));
  const mcpServers = definition.mcpServers ?? [];
  fault(
    !Array.isArray(mcpServers) ||
      !mcpServers.every((server) => typeof server === 'string') ||
      new Set(mcpServers).size !== mcpServers.length,
    'mcpServers must be a list of different names',
  );
  for (const name of names.filter((name) => typeof name === 'string' && isFrom(mcpServers, name)))
    fault(true, `the tool ${name} is named like those of an MCP server of the agent; choose another name`);
  faults.push(...serverToolFaults(definition.serverTools, names));
  if (wanted.every(isTool)) faults.push(...toolsetFaults({ ...definition, permissions, mcpServers }, wanted));
  faults.push(...hookFaults(definition.hooks), ...classifierFaults(definition.classifier));
  if (faults.length > 0)
    throw new Error(`Agent ${JSON.stringify(definition.name)} is not well defined:\n- ${faults.join('\n- ')}`);

  return Object.freeze({
    name: definition.name,
    prompt: definition.prompt,
    tools: wanted.filter(isTool),
    wanted: Object.freeze([...wanted]),
    mcpServers: Object.freeze([...mcpServers]),
    model: definition.model,
    maxTokens: definition.maxTokens ?? 8192,
    modelOptions: definition.modelOptions ?? {},
    serverTools: definition.serverTools ?? [],
    limits,
    ownCostLimit: definition.limits?.costUsd !== undefined && (definition as Partial<Agent>).ownCostLimit !== false,
    maxParallel,
    siblingAbort: definition.siblingAbort ?? false,
    maxDepth,
    approvalExpiryMs,
    permissions,
    approvals: definition.approvals,
    budgets: definition.budgets,
    hooks: joinHooks(definition.hooks),
    classifier: definition.classifier,
    catalogue: choiceOf(definition.catalogue),
    steerSupersedes: definition.steerSupersedes ?? false,
    contextWindow,
    compactAt,
    [AGENT]: true as const,
  });
}

/** What names tools, or depends on what they are; for an agent that only names its tools it is known once an app has them. */
function toolsetFaults({ permissions, catalogue, approvals, budgets, mcpServers }: OverTools, tools: readonly Tool[]): string[] {
  return [
    ...permissionFaults(permissions, tools, mcpServers),
    ...choiceFaults(catalogue, tools, mcpServers),
    ...approvalFaults(approvals, tools, mcpServers),
    ...budgetFaults(budgets, tools, mcpServers),
  ];
}

interface OverTools {
  mcpServers?: readonly string[];
  permissions: AgentPermissions;
  catalogue?: CatalogueDefinition | undefined;
  approvals?: Approvals | undefined;
  budgets?: readonly Budget[] | undefined;
}

/** True for what `defineAgent` returned, whichever copy of this package made it. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && AGENT in value;
}

export interface App {
  readonly agents: readonly Agent[];
  /** For every agent; they run before the agents' own. */
  readonly hooks?: Hooks;
  /** Any number of versions of any number of tools; agents name theirs. */
  readonly tools: readonly Tool[];
  /** By the name that agents use. */
  readonly models?: ModelSettings;
  /** What MCP clients are offered besides the tools. */
  readonly mcp?: McpDefinition;
}

/**
 * The agents that a worker serves, those that their tools ask included, and the tools that they name; the default export of an app file.
 * @throws Error that lists every fault: agents of one name, versions that are there twice, names that fit no tool or agent, agents that ask each other in a circle, wrong hooks
 */
export function defineApp(app: {
  agents: readonly Agent[];
  tools?: readonly Tool[];
  hooks?: Partial<Hooks>;
  models?: ModelSettings;
  mcp?: McpDefinition;
}): App {
  if (!app.agents.every(isAgent)) throw new Error('defineApp: agents must come from defineAgent()');
  const names = app.agents.map((agent) => agent.name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const faults = twice.length > 0 ? [`two agents have one name: ${twice.join(', ')}`] : [];
  faults.push(...unknownFields(app, ['agents', 'tools', 'hooks', 'models', 'mcp']));
  faults.push(...modelFaults(app.models), ...mcpFaults(app.mcp));
  const toolbox = app.tools ?? [];
  faults.push(...toolboxFaults(toolbox));
  const resolve = (agent: Agent): Agent => {
    const resolved = resolveTools(agent.wanted ?? agent.tools, toolbox);
    const toolset = resolved.faults.length > 0 ? [] : toolsetFaults(agent, resolved.tools);
    faults.push(...[...resolved.faults, ...toolset].map((fault) => `agent ${agent.name}: ${fault}`));
    return Object.freeze({ ...agent, tools: resolved.tools });
  };
  const { agents, faults: missing } = withSubAgents(app.agents, resolve);
  faults.push(...missing, ...circles(agents).map((circle) => `agents ask each other in a circle: ${circle}`));
  faults.push(...hookFaults(app.hooks));
  if (faults.length === 0 && app.mcp) faults.push(...askFaults(app.mcp, [...agents.flatMap(({ tools }) => tools), ...toolbox]));
  if (faults.length > 0) throw new Error(`defineApp: ${faults.join('\n- ')}`);
  const models = Object.freeze({ ...app.models });
  const mcp = app.mcp === undefined ? {} : { mcp: Object.freeze({ ...app.mcp }) };
  return Object.freeze({ agents, tools: Object.freeze([...toolbox]), hooks: joinHooks(app.hooks), models, ...mcp });
}

const PRICE_FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'];

function modelFaults(models: ModelSettings | undefined): string[] {
  return Object.entries(models ?? {}).flatMap(([name, settings]) => {
    const of = `models[${JSON.stringify(name)}]`;
    const { prices } = settings ?? {};
    const faults = [...unknownFields(settings, ['prices'], of), ...unknownFields(prices, PRICE_FIELDS, `${of}.prices`)];
    const isPrice = (field: string) => {
      const value = (prices as Record<string, unknown> | undefined)?.[field];
      return typeof value === 'number' && Number.isFinite(value) && value >= 0;
    };
    if (prices !== undefined && !PRICE_FIELDS.every(isPrice))
      faults.push(`${of}.prices must be {${PRICE_FIELDS.join(', ')}}, US dollars for a million tokens, each 0 or more`);
    return faults;
  });
}
