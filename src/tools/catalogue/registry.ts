/** The tools of each agent, compiled once: schema, validator, text. Maps throughout, so that only own names are found. */
import { LRUCache } from 'lru-cache';
import type { App } from '../../agents/define';
import type { ModelSettings } from '../../model/prices';
import type { ModelTool } from '../../model/provider';
import type { ApprovalPolicy } from '../../shared/approval/approval';
import type { JsonObject } from '../../shared/json/json';
import type { TurnContext } from '../../shared/io/activities';
import type { OuterMode } from '../../shared/turn/sub-turn';
import { approvalPolicyOf, type ApprovalSettings } from '../../rules/approvals';
import { hashJson } from '../../store/core/seal';
import type { Agent } from '../../agents/agent';
import { budgetsOf, type ToolBudget } from '../limits/budgets';
import { joinHooks, type Hooks } from '../admit/hooks';
import { compilePolicy, type Policy } from '../admit/policy';
import { describe } from '../define/model-text';
import { isSunset } from '../define/versions';
import { readResult } from '../results/shape';
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
  /** What the model may call, by name: one version each, internal tools left out. */
  tools: Map<string, PreparedTool>;
  /** What only direct calls may name. */
  internal: Map<string, PreparedTool>;
  /** As the model is told, in a stable order; what is past its sunset date is told no more. */
  catalogue: ModelTool[];
  /** Which part of it a request shows. */
  choice: Catalogue;
  /** What the app says of its models. */
  models: ModelSettings;
  /** The permission rules, compiled. */
  policy: Policy;
  /** The app's and the agent's. */
  hooks: Hooks;
  /** Hash of all that decides on calls: part of every call's digest. */
  policyRef: string;
  /** What it is the hash of, as the last one; before it, what that refers to. */
  policies: JsonObject[];
  /** What approving a call of the tool takes. */
  approval(tool: string): ApprovalPolicy;
  /** The budgets that a tool's calls spend from. */
  budgets(tool: Tool): ToolBudget[];
  /** All that an admitted call may mean, by `name@version`: the agent's own tools, then the app's. */
  versions: Map<string, Tool>;
}

export interface RegistryOptions {
  /** What approvals take on this worker, at least. Default: any, and nobody is told. */
  approvals?: ApprovalSettings;
  /** Where this runs (HOLDFAST_ENVIRONMENT). A tool that names environments exists only in those. */
  environment?: string;
}

/** Toolsets from outside that are kept ready: turns that began before and after a change run beside each other. */
const MAX_TOOLSETS = 50;

export class Registry {
  private agents: ReadonlyMap<string, PreparedAgent>;
  private app: App;
  private readonly hearing: ((app: App) => void)[] = [];
  private extended = new LRUCache<string, PreparedAgent>({ max: MAX_TOOLSETS });

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

  /** The agent of a turn, as free as the turns above it are and no freer. @param outside further tools, from outside of the app */
  forTurn({ agent, parent }: Pick<TurnContext, 'agent' | 'parent'>, outside: readonly Tool[] = []): PreparedAgent | undefined {
    const prepared = this.agentWith(agent, outside);
    return prepared && parent && parent.within.length > 0 ? withOuterModes(prepared, parent.within) : prepared;
  }

  /** The agent with further tools, which are subject to its rules like its own. */
  private agentWith(name: string, outside: readonly Tool[]): PreparedAgent | undefined {
    if (outside.length === 0) return this.agents.get(name);
    const key = JSON.stringify([name, ...outside.map(idOf)]);
    const known = this.extended.get(key);
    if (known) return known;
    const prepared = prepare(this.app, this.options, { agent: name, tools: outside }).get(name);
    if (prepared) this.extended.set(key, prepared);
    return prepared;
  }

  /** What approving takes; of an agent that is not served here, what the worker is set to. */
  approval(agent: string, tool: string): ApprovalPolicy {
    const prepared = this.agents.get(agent);
    return prepared ? prepared.approval(tool) : approvalPolicyOf(undefined, tool, this.options.approvals ?? PLAIN);
  }

  /** What every approval takes here, at least. */
  get channel(): ApprovalSettings['channel'] {
    return (this.options.approvals ?? PLAIN).channel;
  }

  names(): string[] {
    return [...this.agents.keys()];
  }

  /** Whether MCP clients are told what tools log in their calls. */
  get toolLogs(): boolean {
    return this.app.mcp?.toolLogs === true;
  }

  /** The very version with which a call was admitted, as long as any part of the app still has it. */
  find(agent: string, name: string, version: string): Tool | undefined {
    return this.agents.get(agent)?.versions.get(`${name}@${version}`);
  }

  /** @param hear is told of each app before it is served; if it throws, the app is not served */
  beforeReplace(hear: (app: App) => void): void {
    this.hearing.push(hear);
  }

  /**
   * Serves another app from now on: a turn's next step sees its tools, a call that runs keeps its own.
   * @throws Error and changes nothing, when the app cannot be prepared, or a worker cannot serve it
   */
  replace(app: App): void {
    const agents = prepare(app, this.options);
    for (const hear of this.hearing) hear(app);
    this.agents = agents;
    this.app = app;
    this.extended.clear();
  }
}

const idOf = (tool: Tool) => `${tool.name}@${tool.version}`;

interface Outside {
  agent: string;
  tools: readonly Tool[];
}

/** @param outside one agent's further tools; then only that agent is prepared */
function prepare(app: App, options: RegistryOptions, outside?: Outside): ReadonlyMap<string, PreparedAgent> {
  const here = (tool: Tool) => !tool.environments || tool.environments.includes(options.environment ?? '');
  const toolbox = (app.tools ?? []).filter(here);
  const agents = outside ? app.agents.filter((agent) => agent.name === outside.agent) : app.agents;
  return new Map(
    agents.map((agent) => {
      const tools = { own: agent.tools.filter(here), outside: outside?.tools ?? [], toolbox };
      const prepared = prepareAgent(agent, joinHooks(app.hooks, agent.hooks), tools, options.approvals ?? PLAIN);
      return [agent.name, { ...prepared, models: app.models ?? {} }];
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
  defined: Agent,
  hooks: Hooks,
  { own, outside, toolbox }: Toolset,
  settings: ApprovalSettings,
): Omit<PreparedAgent, 'models'> {
  const agent = outside.length === 0 ? defined : Object.freeze({ ...defined, tools: [...own, ...outside] });
  const choice = makeCatalogue(agent.catalogue, [...own, ...outside]);
  const ours = [...own.filter((tool) => tool.name !== readResult.name), readResult, ...choice.added];
  const all = [...ours, ...outside];
  const prepared = (internal: boolean) =>
    new Map(all.filter((tool) => (tool.internalOnly ?? false) === internal).map((tool) => [tool.name, prepareTool(tool)]));
  const tools = prepared(false);
  const catalogue = [...tools.values()]
    .filter(({ tool }) => !isSunset(tool))
    .map(({ tool, schema }) => ({
      name: tool.name,
      description: describe(tool),
      input_schema: schema,
      ...(tool.strict ? { strict: true } : {}),
    }));
  const versions = new Map([...toolbox, ...all].map((tool) => [idOf(tool), tool])); // the agent's own win
  const policy = compilePolicy(agent.permissions, ours, agent.mcpServers); // whatever others offer, it must not make the rules unusable
  const decisive = policyOf(agent, hooks, settings);
  const decides = { policy, hooks, policyRef: hashJson(decisive), policies: [decisive] };
  const approval = (tool: string) => approvalPolicyOf(agent.approvals, tool, settings);
  const budgets = memoize((tool: Tool) => budgetsOf(agent.budgets, tool));
  return { agent, tools, internal: prepared(true), catalogue, choice, versions, approval, budgets, ...decides };
}

/** The same agent where modes of other agents hold besides; the hash of what decides says so. */
function withOuterModes(prepared: PreparedAgent, within: readonly OuterMode[]): PreparedAgent {
  const { policy, policyRef, policies } = prepared;
  const bounded = policyWithin(policyRef, within);
  return { ...prepared, policy: { ...policy, within }, policyRef: hashJson(bounded), policies: [...policies, bounded] };
}

function memoize<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** Compiled once for each schema. */
export function prepareTool(tool: Tool): PreparedTool {
  return { tool, ...compiledInput(tool.input as JsonObject) };
}

// Everything that decides on an agent's calls; its hash is the `policy_ref`.

/**
 * Rules, conditions, mode, what approval takes, budgets, and the names of hooks and classifier (their code is the worker's version). What is at its
 * default is left out, so that rules of plain names keep the hash that they always had.
 */
export function policyOf(
  { permissions, approvalExpiryMs, classifier, approvals, budgets }: Agent,
  { before, after }: Hooks,
  { channel }: ApprovalSettings,
): JsonObject {
  const { mode, allow, ask, deny } = permissions;
  const named = {
    ...(mode === 'default' ? {} : { mode }),
    ...(before.length === 0 ? {} : { before_hooks: before.map((hook) => hook.name) }),
    ...(after.length === 0 ? {} : { after_hooks: after.map((hook) => hook.name) }),
    ...(classifier === undefined ? {} : { classifier: classifier.name }),
    ...(approvals === undefined ? {} : { approvals: JSON.parse(JSON.stringify(approvals)) as JsonObject }),
    ...(budgets === undefined ? {} : { budgets: JSON.parse(JSON.stringify(budgets)) as JsonObject[] }),
    ...(channel === 'any' ? {} : { channel }),
  };
  const rules = JSON.parse(JSON.stringify({ allow, ask, deny })) as JsonObject;
  return { v: 'holdfast.policy/1', permissions: rules, approval_expiry_ms: approvalExpiryMs, ...named };
}

/** The same, where the modes of turns above hold too. */
export function policyWithin(policyRef: string, within: readonly OuterMode[]): JsonObject {
  return { v: 'holdfast.policy_within/1', policy_ref: policyRef, within: [...within] };
}
