/** `defineAgent` and `defineApp`: check a definition (agent.ts), fill in defaults, and report every fault at once. */
import type { z } from 'zod';
import type { ModelDefinitions, ModelSettings } from '../model/settings';
import { type JsonObject, unknownFields } from '../shared/json/json';
import { approvalFaults, type Approvals } from '../rules/approvals';
import { budgetFaults, type Budget } from '../tools/limits/budgets';
import { catalogueFaults, catalogueSettings, type CatalogueDefinition } from '../tools/catalogue/find-tools';
import { classifierFaults } from '../tools/admit/classifier';
import { serverToolFaults } from '../tools/convert/server-tools';
import { hookFaults, joinHooks, type Hooks } from '../tools/admit/hooks';
import { permissionFaults, ruledTool, withDefaults, type AgentPermissions } from '../tools/admit/policy';
import { isFrom } from '../tools/catalogue/tool-source';
import { referredName } from '../tools/define/versions';
import { mcpListingFaults, type McpDefinition } from './mcp';
import { askFaults } from './mcp-asks';
import { circles, withSubAgents } from './agent-tool';
import { chainFaults, modelFaults, modelSettings, thinkingFaults, unknownModels } from './models';
import { resolveTools, toolboxFaults, type AgentDefinition, AGENT, type Agent, isAgent } from './agent';
import { isTool, type Tool } from '../tools/define/tool';
import { giveResultTool, resultFaults } from './give-result';
import { copyAsJson, isZod } from '../tools/schema/schema';
import { DEFAULT_LIMITS, LIMIT_NAMES, limitFaults } from './limits';
import { triggerFaults, type TriggerDefinition } from '../triggers/definition';
import { scheduleId } from '../shared/schedule';
import { triggerRequester } from '../shared/ids';
import { budgetsWithStarters, scheduleFaults, type ScheduleDefinition } from '../schedules/definition';

export type { AgentPermissions } from '../tools/admit/policy';
const NAME = /^[A-Za-z0-9._~-]{1,64}$/;
/** Does not compile if a field is missing. */
const FIELDS: Readonly<Record<keyof AgentDefinition, true>> = {
  name: true,
  prompt: true,
  tools: true,
  mcpServers: true,
  model: true,
  maxTokens: true,
  thinking: true,
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
  result: true,
};
const MOST_DEPTH = 10;

/**
 * Checks an agent and fills in its defaults.
 * @throws Error that lists every fault
 * @example
 * const payables = defineAgent({ name: 'payables', prompt: 'You pay invoices.', tools: [payInvoice], approvals: { quorum: 2 } });
 */
export function defineAgent<S extends z.ZodType>(definition: AgentDefinition & { result: S }): Agent<z.output<S>>;
/** @typeParam R what a JSON Schema describes, which TypeScript cannot read from it */
export function defineAgent<R = JsonObject>(definition: AgentDefinition & { result: JsonObject }): Agent<R>;
export function defineAgent(definition: AgentDefinition & { result?: undefined }): Agent<undefined>;
export function defineAgent(definition: AgentDefinition): Agent;
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
  const references = definition.tools ?? [];
  const names = references.map(referredName);

  faults.push(...unknownFields(definition, [...Object.keys(FIELDS), 'wanted', 'ownCostLimit', 'resultTool']));
  faults.push(...unknownFields(definition.limits, LIMIT_NAMES, 'limits'));
  fault(!NAME.test(definition.name), `name ${JSON.stringify(definition.name)} must match ${NAME.source}`);
  fault(typeof definition.prompt !== 'string' || definition.prompt.trim() === '', 'prompt is empty');
  fault(
    !references.every((tool) => isTool(tool) || typeof tool === 'string'),
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
  faults.push(...limitFaults(limits), ...chainFaults(definition.model), ...thinkingFaults(definition.thinking, 'thinking'));
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
  faults.push(...hookFaults(definition.hooks), ...classifierFaults(definition.classifier));
  const wrongResult = resultFaults(definition.result);
  faults.push(...wrongResult);
  const result = definition.result === undefined || isZod(definition.result) ? definition.result : copyAsJson(definition.result);
  const resultTool = result === undefined || wrongResult.length > 0 ? undefined : giveResultTool(result);
  if (references.every(isTool))
    faults.push(...toolsetFaults({ ...definition, permissions, mcpServers }, withResultTool(references, { resultTool })));
  if (faults.length > 0)
    throw new Error(`Agent ${JSON.stringify(definition.name)} is not well defined:\n- ${faults.join('\n- ')}`);

  return Object.freeze({
    name: definition.name,
    prompt: definition.prompt,
    tools: references.filter(isTool),
    wanted: Object.freeze([...references]),
    mcpServers: Object.freeze([...mcpServers]),
    model: definition.model,
    maxTokens: definition.maxTokens ?? 8192,
    thinking: definition.thinking,
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
    catalogue: catalogueSettings(definition.catalogue),
    steerSupersedes: definition.steerSupersedes ?? false,
    contextWindow,
    compactAt,
    result,
    resultTool,
    [AGENT]: true as const,
  });
}

/** Rules may name the tool that gives the result, too. */
function withResultTool(tools: readonly Tool[], { resultTool }: Pick<Agent, 'resultTool'>): readonly Tool[] {
  return resultTool === undefined ? tools : [...tools, resultTool];
}

/**
 * Faults in settings that name tools or depend on them. If an agent only names its tools, they are checked when it becomes part of
 * an app.
 */
function toolsetFaults(
  { permissions, catalogue, approvals, budgets, mcpServers }: ToolsetSettings,
  tools: readonly Tool[],
): string[] {
  return [
    ...permissionFaults(permissions, tools, mcpServers),
    ...catalogueFaults(catalogue, tools, mcpServers),
    ...approvalFaults(approvals, tools.map(ruledTool), mcpServers),
    ...budgetFaults(budgets, tools, mcpServers),
  ];
}

interface ToolsetSettings {
  mcpServers?: readonly string[];
  permissions: AgentPermissions;
  catalogue?: CatalogueDefinition | undefined;
  approvals?: Approvals | undefined;
  budgets?: readonly Budget[] | undefined;
}

export interface App {
  readonly agents: readonly Agent[];
  /** For every agent; they run before the agents' own. */
  readonly hooks?: Hooks;
  /** Any number of versions of any number of tools; agents name theirs. */
  readonly tools: readonly Tool[];
  /** By the model name that agents use. */
  readonly models?: ModelSettings;
  /** What MCP clients get besides the tools. */
  readonly mcp?: McpDefinition;
  /** Turns that begin by themselves. Absent: workers leave the schedules in Temporal as they are. */
  readonly schedules?: readonly ScheduleDefinition[];
  /** Webhooks that start turns; gateways take them. */
  readonly triggers?: readonly TriggerDefinition[];
}

/**
 * The agents that a worker serves, with the sub-agents of their tools, and the tools that they name; the default export of an app
 * file.
 * @throws Error that lists every fault: agents with the same name, duplicate versions, names that fit no tool or agent, circles of
 * agents, wrong hooks
 * @example export default defineApp({ agents: [payables] });
 */
export function defineApp(app: {
  agents: readonly Agent[];
  tools?: readonly Tool[];
  hooks?: Partial<Hooks>;
  models?: ModelDefinitions;
  mcp?: McpDefinition;
  schedules?: readonly ScheduleDefinition[];
  triggers?: readonly TriggerDefinition[];
}): App {
  if (!app.agents.every(isAgent)) throw new Error('defineApp: agents must come from defineAgent()');
  const names = app.agents.map((agent) => agent.name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const faults = twice.length > 0 ? [`two agents have one name: ${twice.join(', ')}`] : [];
  faults.push(...unknownFields(app, ['agents', 'tools', 'hooks', 'models', 'mcp', 'schedules', 'triggers']));
  faults.push(...modelFaults(app.models), ...mcpListingFaults(app.mcp));
  const toolbox = app.tools ?? [];
  faults.push(...toolboxFaults(toolbox));
  const wrongSchedules = scheduleFaults(app.schedules, names);
  const wrongTriggers = triggerFaults(app.triggers, names);
  faults.push(...wrongSchedules, ...wrongTriggers);
  const schedules = wrongSchedules.length > 0 ? [] : (app.schedules ?? []);
  const triggers = wrongTriggers.length > 0 ? [] : (app.triggers ?? []);
  const starters = [
    ...schedules.map((one) => ({ ...one, requester: scheduleId(one.name) })),
    ...triggers.map((one) => ({ ...one, requester: triggerRequester(one.path) })),
  ];
  const resolve = (alone: Agent): Agent => {
    const agent = { ...alone, budgets: budgetsWithStarters(alone.name, alone.budgets, starters) };
    const resolution = resolveTools(agent.wanted ?? agent.tools, toolbox);
    const toolset = resolution.faults.length > 0 ? [] : toolsetFaults(agent, withResultTool(resolution.tools, agent));
    faults.push(...[...resolution.faults, ...toolset].map((fault) => `agent ${agent.name}: ${fault}`));
    return Object.freeze({ ...agent, tools: resolution.tools });
  };
  const { agents, faults: missing } = withSubAgents(app.agents, resolve);
  const models = modelSettings(app.models);
  faults.push(...agents.flatMap((agent) => unknownModels(agent, models)));
  faults.push(...missing, ...circles(agents).map((circle) => `agents ask each other in a circle: ${circle}`));
  faults.push(...hookFaults(app.hooks));
  if (faults.length === 0 && app.mcp) faults.push(...askFaults(app.mcp, [...agents.flatMap(({ tools }) => tools), ...toolbox]));
  if (faults.length > 0) throw new Error(`defineApp: ${faults.join('\n- ')}`);
  const mcp = app.mcp === undefined ? {} : { mcp: Object.freeze({ ...app.mcp }) };
  const times = app.schedules === undefined ? {} : { schedules: Object.freeze([...app.schedules]) };
  const webhooks = app.triggers === undefined ? {} : { triggers: Object.freeze([...app.triggers]) };
  const more = { ...mcp, ...times, ...webhooks };
  return Object.freeze({ agents, tools: Object.freeze([...toolbox]), hooks: joinHooks(app.hooks), models, ...more });
}
