/**
 * Describes an agent for the record: everything that goes into a model request or decides a call, and the software that ran it.
 * Stores these definitions, and the rules, under their hashes.
 */
import { systemPrompt } from '../../agents/agent';
import { namesOf } from '../../model/models';
import { askedPrice, PRICES_AS_OF, type Price } from '../../model/prices';
import type { ModelSettings } from '../../model/settings';
import { isJsonObject, type Json, type JsonObject, isUnsafeInteger } from '../../shared/json/json';
import { withoutSecrets } from '../../shared/text/secrets';
import { describe } from '../../tools/define/model-text';
import type { ApprovalList } from '../../rules';
import type { PreparedAgent, PreparedTool } from '../../tools/catalogue/registry';
import { resultSchema } from '../../agents/give-result';
import { outputSchema } from '../../tools/schema/schema';
import { canonical } from '../../shared/json/canonical';
import { sha256Hex } from '../../shared/json/sha256';
import { optional } from '../../shared/json/optional';
import type { Store } from '../../store/store';

/** The software that runs an agent. */
export interface Engine {
  /** Model of agents that name none. */
  defaultModel: string;
  holdfast: string;
  /** Build id of the deployment, for worker versioning; null: it has none. */
  buildId: string | null;
  /** SHA-256 of the workflow bundle; null: the worker bundles the code itself. */
  workflowBundle: string | null;
}

/** `holdfast.agent/1`. No secrets: MCP servers by name only, and vendor fields without those that are named like a key. */
export function agentDefinition(preparedAgent: PreparedAgent, { defaultModel, ...engine }: Engine): JsonObject {
  const { agent, tools, internal, hooks, policy } = preparedAgent;
  const { approvals: lists } = policy;
  const names = namesOf(agent.model, defaultModel);
  const model = names[0] ?? '';
  const { steps, tokens, costUsd, timeMs } = agent.limits;
  const all = [...tools.values(), ...internal.values()];
  return json({
    v: 'holdfast.agent/1',
    name: agent.name,
    prompt: systemPrompt(agent),
    model,
    ...describedChain(names, preparedAgent.models),
    max_tokens: agent.maxTokens,
    ...(agent.thinking === undefined ? {} : { thinking: agent.thinking }),
    model_options: secretless(agent.modelOptions),
    server_tools: secretless(agent.serverTools),
    mcp_servers: agent.mcpServers,
    limits: { steps, tokens, cost_usd: costUsd, time_ms: timeMs },
    max_parallel: agent.maxParallel,
    sibling_abort: agent.siblingAbort,
    max_depth: agent.maxDepth,
    approval_expiry_ms: agent.approvalExpiryMs,
    steer_supersedes: agent.steerSupersedes,
    context_window: agent.contextWindow,
    compact_at: agent.compactAt,
    tools: all.map(describedTool),
    approvals: Object.fromEntries(
      all.filter(({ tool }) => !lists?.has(tool.name)).map(({ tool: { name } }) => [name, preparedAgent.approval(name)]),
    ),
    ...(lists ? { approval_lists: Object.fromEntries([...lists].map(([name, list]) => [name, describedList(list)])) } : {}),
    hooks: { before: hooks.before.map(({ name }) => name), after: hooks.after.map(({ name }) => name) },
    classifier: agent.classifier?.name ?? null,
    ...(agent.result === undefined ? {} : { result: resultSchema(agent.result) }),
    prices: pricesOf(model, preparedAgent.models),
    engine: { holdfast: engine.holdfast, build_id: engine.buildId, workflow_bundle: engine.workflowBundle },
  });
}

/** What each entry of a list requires, and whether a failed condition refuses, so that an auditor need not work it out. */
function describedList({ entries, otherwise, failed, noCommonRole }: ApprovalList): object {
  return {
    entries: entries.map(({ when, allow, policy }) => ({ when, allow, approval: policy })),
    otherwise,
    failed,
    ...(noCommonRole === null ? {} : { failed_refuses: true }),
  };
}

function describedTool({ tool, schema }: PreparedTool): object {
  return {
    name: tool.name,
    version: tool.version,
    class: tool.class,
    description: describe(tool),
    input_schema: schema,
    output_schema: tool.output === undefined ? null : outputSchema(tool.output),
    group: tool.group ?? null,
    egress: tool.egress ?? false,
    rule_target: tool.ruleTarget?.kind ?? null,
    untrusted_output: tool.untrustedOutput ?? false,
    idempotent: tool.idempotent ?? false,
    internal_only: tool.internalOnly ?? false,
    sub_agent: tool.subAgent?.name ?? null,
    ...(tool.strict ? { strict: true } : {}),
  };
}

/** The models of the app that the agent names; absent: it has one, which the worker's own provider serves. */
function describedChain(names: readonly string[], settings: ModelSettings): { models?: object[] } {
  if (names.length === 1 && settings[names[0]!]?.provider === undefined) return {};
  return {
    models: names.map((name) => {
      const { provider, options, thinking, limits } = settings[name] ?? {};
      const entry = { name, provider: provider?.name ?? null, model: provider?.model ?? name };
      const thinks = thinking === undefined ? {} : { thinking };
      return {
        ...entry,
        ...thinks,
        options: secretless(options ?? {}),
        limits: limits ?? null,
        prices: pricesOf(name, settings),
      };
    }),
  };
}

/**
 * US dollars for a million tokens; null: the model has no known price, and its cost counts as 0. `as_of` is null for prices that
 * the app sets.
 */
function pricesOf(model: string, own: ModelSettings): object | null {
  const price = askedPrice({ asked: model, ...optional({ id: own[model]?.provider?.model }) }, own);
  if (price === undefined) return null;
  const priceFields = ({ input, output, cacheRead, cacheWrite }: Price) => ({
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
  });
  const { long } = price;
  const as_of = Object.hasOwn(own, model) && own[model]!.prices !== undefined ? null : PRICES_AS_OF;
  return { as_of, ...priceFields(price), ...(long ? { long: { over: long.over, ...priceFields(long) } } : {}) };
}

const SECRET = /token|secret|password|authorization|api[-_]?key|credential/i;
/** Numbers and booleans are no secrets, whatever their name. */
const isSecret = (key: string, value: Json) => SECRET.test(key) && typeof value !== 'number' && typeof value !== 'boolean';

/** Fields of the vendor's request, without those that are named like a key, and without keys in texts. */
function secretless(value: Json): Json {
  if (typeof value === 'string') return withoutSecrets(value);
  if (Array.isArray(value)) return value.map(secretless);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, isSecret(key, field) ? '[left out]' : secretless(field)]);
  return Object.fromEntries(fields) as JsonObject;
}

/** The value as JSON that can be hashed: undefined fields are left out, inexact integers become strings. */
function json(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value), (_, field: unknown) => hashable(field)) as JsonObject;
}

function hashable(field: unknown): unknown {
  if (typeof field === 'string') return field.toWellFormed();
  return typeof field === 'number' && isUnsafeInteger(field) ? String(field) : field;
}

// Blocks name the rules (`policy_ref`) and the definition of the agent (`definition_ref`) by hash only. Their canonical form is
// stored under its SHA-256 before the block, so that an auditor finds it years later.

/**
 * A definition is stored again after this time, ms: `holdfast store collect` deletes what was not stored for a day, if nothing refers to
 * it at that time.
 */
const STORED_MS = 3_600_000;

export class PolicyArchive {
  /** Definitions that are stored, or being stored, and since when, ms. */
  private readonly writes = new Map<string, { at: number; put: Promise<unknown> }>();
  /** By the agent's tools: variants that differ only in the turns above them share these. */
  private readonly definitions = new WeakMap<PreparedAgent['tools'], StoredDefinition>();
  private readonly policies = new WeakMap<PreparedAgent['policies'], StoredDefinition[]>();

  constructor(
    private readonly store: Store,
    private readonly engine: Engine,
  ) {}

  /** Stores the agent's rules. Once it resolves, they survive a power cut. */
  async rules({ policies }: PreparedAgent): Promise<void> {
    const parts = this.policies.get(policies) ?? policies.map(keptOf);
    this.policies.set(policies, parts);
    await Promise.all(parts.map((policy) => this.keep(policy)));
  }

  /** Stores the agent's rules and definition. @returns its `definition_ref` */
  async agent(agent: PreparedAgent): Promise<string> {
    const definition = this.definitions.get(agent.tools) ?? keptOf(agentDefinition(agent, this.engine));
    this.definitions.set(agent.tools, definition);
    await Promise.all([this.rules(agent), this.keep(definition)]);
    return definition.ref;
  }

  private async keep({ ref, text }: StoredDefinition): Promise<void> {
    const now = performance.now();
    const last = this.writes.get(ref);
    const isStored = last !== undefined && now - last.at < STORED_MS;
    const write = isStored ? last : { at: now, put: this.store.putBytes(Buffer.from(text, 'utf8')) };
    this.writes.set(ref, write);
    try {
      await write.put;
    } catch (error) {
      this.writes.delete(ref);
      throw error;
    }
  }
}

interface StoredDefinition {
  ref: string;
  text: string;
}

function keptOf(object: JsonObject): StoredDefinition {
  const text = canonical(object);
  return { ref: sha256Hex(text), text };
}
