/**
 * The registry: prepares each agent of an app once (tools with compiled schemas, rules, hooks, catalogue), and finds them by name.
 * It uses Maps throughout, so that a name such as `__proto__` finds nothing.
 */
import { LRUCache } from 'lru-cache';
import type { App } from '../../agents/define';
import type { ModelSettings } from '../../model/settings';
import type { ModelTool } from '../../model/provider';
import type { ApprovalPolicy } from '../../shared/approval/approval';
import type { JsonObject } from '../../shared/json/json';
import type { TurnContext } from '../../shared/io/activities';
import type { OuterMode } from '../../shared/turn/sub-turn';
import { compileApprovalLists } from '../../rules/approval-entries';
import { approvalPolicyOf, type ApprovalSettings } from '../../rules/approvals';
import { hashJson } from '../../shared/json/digests';
import type { Agent } from '../../agents/agent';
import type { ScheduleDefinition } from '../../schedules/definition';
import { budgetsOf, type ToolBudget } from '../limits/budgets';
import { joinHooks, type Hooks } from '../admit/hooks';
import { compilePolicy, type Policy } from '../admit/policy';
import { describe } from '../define/model-text';
import { isSunset } from '../define/versions';
import { READ_RESULT } from '../../rules';
import { readResultTool } from '../results/result-text';
import { compiledInput, type Validator } from '../schema/schema';
import type { Tool } from '../define/tool';
import { makeCatalogue, type Catalogue } from './catalogue';

export interface PreparedTool {
  tool: Tool;
  schema: JsonObject;
  validate: Validator;
}

export interface PreparedAgent {
  agent: Agent;
  /** The tools that the model may call, by name: one version each, without internal tools. */
  tools: Map<string, PreparedTool>;
  /** Internal tools: only direct calls may use them. */
  internal: Map<string, PreparedTool>;
  /** The definitions for the model, in a stable order. Tools past their sunset date are left out. */
  catalogue: ModelTool[];
  /** Chooses the part of `catalogue` that a request shows. */
  choice: Catalogue;
  /** The app's settings for models. */
  models: ModelSettings;
  /** The permission rules, compiled. */
  policy: Policy;
  /** The app's hooks, then the agent's. */
  hooks: Hooks;
  /** Hash of everything that decides about calls. It is part of every call's digest. */
  policyRef: string;
  /** The last one is the record that `policyRef` is the hash of; the ones before are those it refers to. */
  policies: JsonObject[];
  /** The approval policy for calls of a tool; for a tool with a list, what the strictest of its entries requires. */
  approval(tool: string): ApprovalPolicy;
  /** The budgets that a tool's calls spend from. */
  budgets(tool: Tool): ToolBudget[];
  /** Every tool that an admitted call may refer to, by `name@version`; the agent's own tool replaces the app's. */
  versions: Map<string, Tool>;
}

export interface RegistryOptions {
  /** The minimum that this worker requires of approvals. Default: any channel, and no notifications. */
  approvals?: ApprovalSettings;
  /** The environment of this worker (HOLDFAST_ENVIRONMENT). A tool that names environments exists only in those. */
  environment?: string;
}

/** Is told of an app that is about to be served; throws if it cannot be. */
type ReplaceListener = (app: App, agents: readonly PreparedAgent[]) => void;

/** How many prepared agents with outside tools are cached: turns from before and after a change run at the same time. */
const MAX_TOOLSETS = 50;

export class Registry {
  private agents: ReadonlyMap<string, PreparedAgent>;
  private app: App;
  private readonly replaceListeners: ReplaceListener[] = [];
  private extendedAgents = new LRUCache<string, PreparedAgent>({ max: MAX_TOOLSETS });

  constructor(
    app: App,
    private readonly options: RegistryOptions = {},
  ) {
    this.app = app;
    this.agents = prepare(app, options);
  }

  agent(name: string): PreparedAgent | undefined {
    return this.agents.get(name);
  }

  /** The agent of a turn, bound also by the modes of the turns above it. @param outside further tools, from outside of the app */
  forTurn({ agent, parent }: Pick<TurnContext, 'agent' | 'parent'>, outside: readonly Tool[] = []): PreparedAgent | undefined {
    const preparedAgent = this.agentWith(agent, outside);
    return preparedAgent && parent && parent.within.length > 0 ? withOuterModes(preparedAgent, parent.within) : preparedAgent;
  }

  /** The agent with further tools, to which its rules apply as to its own. */
  private agentWith(name: string, outside: readonly Tool[]): PreparedAgent | undefined {
    if (outside.length === 0) return this.agents.get(name);
    const key = JSON.stringify([name, ...outside.map(idOf)]);
    const cachedAgent = this.extendedAgents.get(key);
    if (cachedAgent) return cachedAgent;
    const preparedAgent = prepare(this.app, this.options, { agent: name, tools: outside }).get(name);
    if (preparedAgent) this.extendedAgents.set(key, preparedAgent);
    return preparedAgent;
  }

  /** The approval policy for a tool's calls; for an agent that this worker does not serve, the worker's settings. */
  approval(agent: string, tool: string): ApprovalPolicy {
    const preparedAgent = this.agents.get(agent);
    return preparedAgent ? preparedAgent.approval(tool) : approvalPolicyOf(undefined, tool, this.options.approvals ?? PLAIN);
  }

  /** The channel that every approval needs here, at least. */
  get channel(): ApprovalSettings['channel'] {
    return (this.options.approvals ?? PLAIN).channel;
  }

  all(): PreparedAgent[] {
    return [...this.agents.values()];
  }

  names(): string[] {
    return [...this.agents.keys()];
  }

  /** The schedules of the app. */
  get schedules(): readonly ScheduleDefinition[] {
    return this.app.schedules ?? [];
  }

  /** Whether MCP clients get the log lines of the tools that they call. */
  get toolLogs(): boolean {
    return this.app.mcp?.toolLogs === true;
  }

  /** The exact version with which a call was admitted; undefined when neither the agent nor the app has it any more. */
  find(agent: string, name: string, version: string): Tool | undefined {
    return this.agents.get(agent)?.versions.get(`${name}@${version}`);
  }

  /** @param hear is called with each new app before it is served; if it throws, the app is not served */
  beforeReplace(hear: ReplaceListener): void {
    this.replaceListeners.push(hear);
  }

  /**
   * Serves another app from now on. A turn's next step uses the new tools; a running call keeps the old ones.
   * @throws Error when the app cannot be prepared, or a worker cannot serve it; then nothing changes
   */
  replace(app: App): void {
    const agents = prepare(app, this.options);
    for (const hear of this.replaceListeners) hear(app, [...agents.values()]);
    this.agents = agents;
    this.app = app;
    this.extendedAgents.clear();
  }
}

const idOf = (tool: Tool) => `${tool.name}@${tool.version}`;

interface Outside {
  agent: string;
  tools: readonly Tool[];
}

/** @param outside further tools of one agent; where given, only that agent is prepared */
function prepare(app: App, options: RegistryOptions, outside?: Outside): ReadonlyMap<string, PreparedAgent> {
  const here = (tool: Tool) => !tool.environments || tool.environments.includes(options.environment ?? '');
  const toolbox = (app.tools ?? []).filter(here);
  const agents = outside ? app.agents.filter((agent) => agent.name === outside.agent) : app.agents;
  return new Map(
    agents.map((agent) => {
      const tools = { own: agent.tools.filter(here), outside: outside?.tools ?? [], toolbox };
      const preparedAgent = prepareAgent(agent, joinHooks(app.hooks, agent.hooks), tools, options.approvals ?? PLAIN);
      return [agent.name, { ...preparedAgent, models: app.models ?? {} }];
    }),
  );
}

const PLAIN: ApprovalSettings = { channel: 'any', notify: false };

interface Toolset {
  own: Tool[];
  outside: readonly Tool[];
  toolbox: readonly Tool[];
}

function prepareAgent(
  definition: Agent,
  hooks: Hooks,
  { own, outside, toolbox }: Toolset,
  settings: ApprovalSettings,
): Omit<PreparedAgent, 'models'> {
  const agent = outside.length === 0 ? definition : Object.freeze({ ...definition, tools: [...own, ...outside] });
  const choice = makeCatalogue(agent.catalogue, [...own, ...outside]);
  const result = agent.resultTool === undefined ? [] : [agent.resultTool];
  const ours = [...own.filter((tool) => tool.name !== READ_RESULT), readResultTool(), ...choice.added, ...result];
  const all = [...ours, ...outside];
  const prepareTools = (internal: boolean) =>
    new Map(all.filter((tool) => (tool.internalOnly ?? false) === internal).map((tool) => [tool.name, prepareTool(tool)]));
  const tools = prepareTools(false);
  const catalogue = [...tools.values()]
    .filter(({ tool }) => !isSunset(tool))
    .map(({ tool, schema }) => ({
      name: tool.name,
      description: describe(tool),
      input_schema: schema,
      ...(tool.strict ? { strict: true } : {}),
    }));
  const versions = new Map([...toolbox, ...all].map((tool) => [idOf(tool), tool])); // the agent's own replace the app's
  const rules = compilePolicy(agent.permissions, ours, agent.mcpServers); // outside tools must not make the rules unusable
  const approvals = compileApprovalLists(agent.approvals, settings);
  const policy = approvals.size === 0 ? rules : { ...rules, approvals };
  const decisive = policyOf(agent, hooks, settings);
  const decides = { policy, hooks, policyRef: hashJson(decisive), policies: [decisive] };
  const approval = (tool: string) => approvals.get(tool)?.failed ?? approvalPolicyOf(agent.approvals, tool, settings);
  const budgets = memoize((tool: Tool) => budgetsOf(agent.budgets, tool));
  return { agent, tools, internal: prepareTools(true), catalogue, choice, versions, approval, budgets, ...decides };
}

/** The same agent, bound also by modes of the turns above; they are part of its `policyRef`. */
function withOuterModes(preparedAgent: PreparedAgent, within: readonly OuterMode[]): PreparedAgent {
  const { policy, policyRef, policies } = preparedAgent;
  const effectivePolicy = policyWithin(policyRef, within);
  return {
    ...preparedAgent,
    policy: { ...policy, within },
    policyRef: hashJson(effectivePolicy),
    policies: [...policies, effectivePolicy],
  };
}

function memoize<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const cache = new WeakMap<K, V>();
  return (key) => {
    const value = cache.get(key) ?? make(key);
    cache.set(key, value);
    return value;
  };
}

/** Compiled once for each schema. */
export function prepareTool(tool: Tool): PreparedTool {
  return { tool, ...compiledInput(tool.input as JsonObject) };
}

// The record of everything that decides about an agent's calls; its hash is the `policy_ref`.

/**
 * Rules, conditions, mode, approvals, budgets, and the names of hooks and classifier (their code belongs to the worker's version).
 * Fields with their default value are left out, so that rules of plain names keep their old hash.
 */
export function policyOf(
  { permissions, approvalExpiryMs, classifier, approvals, budgets }: Agent,
  { before, after }: Hooks,
  { channel }: ApprovalSettings,
): JsonObject {
  const { mode, allow, ask, deny } = permissions;
  const names = {
    ...(mode === 'default' ? {} : { mode }),
    ...(before.length === 0 ? {} : { before_hooks: before.map((hook) => hook.name) }),
    ...(after.length === 0 ? {} : { after_hooks: after.map((hook) => hook.name) }),
    ...(classifier === undefined ? {} : { classifier: classifier.name }),
    ...(approvals === undefined ? {} : { approvals: JSON.parse(JSON.stringify(approvals)) as JsonObject }),
    ...(budgets === undefined ? {} : { budgets: JSON.parse(JSON.stringify(budgets)) as JsonObject[] }),
    ...(channel === 'any' ? {} : { channel }),
  };
  const rules = JSON.parse(JSON.stringify({ allow, ask, deny })) as JsonObject;
  return { v: 'holdfast.policy/1', permissions: rules, approval_expiry_ms: approvalExpiryMs, ...names };
}

/** The same, with the modes of the turns above, which bind too. */
export function policyWithin(policyRef: string, within: readonly OuterMode[]): JsonObject {
  return { v: 'holdfast.policy_within/1', policy_ref: policyRef, within: [...within] };
}
