/**
 * Decides whether a call of a tool is allowed: compiles an agent's permission rules, collects the facts about the call, and
 * evaluates the rules. Faults of the rules are found before a model calls anything. The rules themselves are in `rules/`.
 */
import {
  READ_RESULT,
  compileRules,
  permissionFaults as faultsOf,
  type AgentPermissions,
  type Policy,
  decide as decideAtOnce,
  type CallFacts,
  type Verdict,
  type FileHashes,
  type RuledTool,
  type TurnFacts,
} from '../../rules';
import { type JsonObject, isJsonObject, type Json } from '../../shared/json/json';
import { canonical } from '../../shared/json/canonical';
import { callError, type CallError, exceptionText } from '../../shared/wire/errors';
import { hashJson } from '../../shared/json/digests';
import { intentHash } from '../../shared/intent';
import { readResultTool } from '../results/result-text';
import { isFrom } from '../catalogue/tool-source';
import type { Tool } from '../define/tool';
import { compiledInput } from '../schema/schema';
import { readInputOrThrow, FOR_THE_OWNER } from '../schema/input-output';
import { fewSteps, outcomesInThread } from './expressions';
import { errorMessage } from '../../shared/text/error-message';
import { optional } from '../../shared/json/optional';

export { recordedFacts, withDefaults, EFFECTS, MODES } from '../../rules';
export type { AgentPermissions, Mode, Policy, RuleEntry, RuleTrace, TurnFacts, Verdict } from '../../rules';

/** Every fault of an agent's permissions, as messages; empty: they can be compiled. `servers`: MCP servers that add tools. */
export function permissionFaults(
  permissions: AgentPermissions,
  tools: readonly Tool[],
  servers: readonly string[] = [],
): string[] {
  // The tools of a server are known only when a turn begins.
  return faultsOf(permissions, withBuiltIn(tools).map(ruledTool), (name) => isFrom(servers, name));
}

/** @throws Error that lists every fault */
export function compilePolicy(permissions: AgentPermissions, tools: readonly Tool[], servers: readonly string[] = []): Policy {
  const faults = permissionFaults(permissions, tools, servers);
  if (faults.length > 0) throw new Error(`The permission rules have faults:\n- ${faults.join('\n- ')}`);
  return compileRules(permissions);
}

function withBuiltIn(tools: readonly Tool[]): Tool[] {
  return tools.some((tool) => tool.name === READ_RESULT) ? [...tools] : [...tools, readResultTool()];
}

// The verdict on a call, in a worker. Where a call's conditions could take long, all of them are evaluated in a thread. If the
// thread hits its time limit, they count as failed: then an allow rule does not match, and an ask or deny rule does.

export function decide(policy: Policy, call: ToolCall): Promise<Verdict> {
  return decideOn(policy, factsOf(call));
}

/** As `decide`, for callers that need the facts too. */
export async function decideOn(policy: Policy, call: CallFacts): Promise<Verdict> {
  const entries = policy.approvals?.get(call.tool.name)?.entries ?? [];
  const conditions = [
    ...policy.rulesOf(call.tool).flatMap(({ rule }) => rule.condition ?? []),
    ...entries.flatMap(({ condition }) => condition ?? []),
  ];
  if (fewSteps(conditions, call)) return decideAtOnce(policy, call);
  const outcomes = await outcomesInThread(conditions, call);
  return decideAtOnce(policy, call, (condition) => outcomes[conditions.indexOf(condition)]!);
}

// The facts that rules compare. Only this part runs a tool's own code for the rules.

export interface ToolCall {
  tool: Tool;
  /** The effective input. */
  input: JsonObject;
  turn: TurnFacts;
}

export function factsOf({ tool, input, turn }: ToolCall): CallFacts {
  return { tool: ruledTool(tool), input, targets: targetsOf(tool, input), ...filesOf(tool), turn };
}

/** A file is hashed when a rule first needs it, and only once: verdict and record then have the same hash. */
function filesOf({ ruleTarget }: Tool): { files?: FileHashes } {
  if (ruleTarget?.kind !== 'command') return {};
  const hashes: Record<string, string | null> = {};
  const hashOf = (path: string) => (hashes[path] ??= ruleTarget.hashOf?.(path) ?? null);
  return { files: { hashOf, looked: hashes } };
}

const ruledTools = new WeakMap<Tool, RuledTool>();

/** Returns the same object for the same tool, because compiled rules are cached by it. */
export function ruledTool(tool: Tool): RuledTool {
  const description = ruledTools.get(tool) ?? describe(tool);
  ruledTools.set(tool, description);
  return description;
}

function describe(tool: Tool): RuledTool {
  const { name, version, class: toolClass, group, egress } = tool;
  return {
    name,
    version,
    class: toolClass,
    ...optional({ group, egress }),
    target: tool.ruleTarget?.kind ?? null,
    get schema() {
      return compiledInput(tool.input as JsonObject).schema; // a getter: only rules with a condition need it
    },
  };
}

/** Null: unknown. An empty list is unknown too: a search without a folder searches everywhere. */
function targetsOf(tool: Tool, input: JsonObject): string[] | null {
  if (!tool.ruleTarget) return null;
  try {
    const answer: unknown = tool.ruleTarget.of(readInputOrThrow(tool, input));
    const targets: unknown[] = Array.isArray(answer) ? answer : [answer];
    return targets.length > 0 && targets.every((target) => typeof target === 'string') ? (targets as string[]) : null;
  } catch {
    return null;
  }
}

// A call's target: what the tool acts on besides its input, by its definition.

/** Limit: people read it on a card. */
const MOST_BYTES = 4000;

export type Target = { ok: true; target: JsonObject | null } | { ok: false; error: CallError };

/** The target is null where the tool declares none. */
export function targetOf(tool: Tool, input: JsonObject): Target {
  if (tool.target === undefined) return { ok: true, target: null };
  try {
    const target: Json = typeof tool.target === 'function' ? tool.target(readInputOrThrow(tool, input)) : tool.target;
    const text = canonical(target);
    if (!isJsonObject(target)) return fault(tool, 'it must be an object');
    if (Buffer.byteLength(text) > MOST_BYTES) return fault(tool, `it has more than ${MOST_BYTES} bytes`);
    return { ok: true, target: JSON.parse(text) as JsonObject };
  } catch (error) {
    return fault(tool, errorMessage(error).slice(0, 300));
  }
}

export function targetHash(target: JsonObject | null): string | null {
  return target === null ? null : hashJson(target);
}

function fault({ name, version }: Tool, why: string): Target {
  const message = `${name}@${version} does not say what it acts on: its target failed: ${why}`;
  return { ok: false, error: callError('EXECUTION_ERROR', 'target_failed', message.toWellFormed()) };
}

// The intent of a call, by its tool's `intentKey`.

/** `intent` is null for a tool without `intentKey`, or where `intentKey` returns null for this input. */
export function intentOf(tool: Tool, input: JsonObject): { ok: true; intent: string | null } | { ok: false; error: CallError } {
  if (!tool.intentKey) return { ok: true, intent: null };
  try {
    const key = tool.intentKey(readInputOrThrow(tool, input)) as Json;
    return { ok: true, intent: key === null ? null : intentHash(tool.name, key) };
  } catch (error) {
    const why = exceptionText(error).slice(0, 300);
    const message = `${tool.name} was not run: its intentKey failed for this input: ${why}`;
    return { ok: false, error: callError('EXECUTION_ERROR', 'intent_key_failed', message, { hint: FOR_THE_OWNER }) };
  }
}
