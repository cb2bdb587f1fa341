/** Applies the recorded rules again to each call that ran, with the code that the engine applied them with (rule B12). */
import { compileRules, decide, readRecordedFacts, type Policy, type RuledTool, type TurnFacts } from '../../rules';
import type { PolicyEntry } from '../../shared/approval/policy';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { object, text } from '../../record/fields';
import type { ObjectBody } from '../format/lines';
import {
  byDefinition,
  innerPolicy,
  isClass,
  recordedAgent,
  recordedLists,
  recordedOuter,
  recordedRules,
} from '../recorded-rules';
import { quote } from './fault';
import type { ScheduledCall } from './history';
import { isEntry, isSameList } from './recorded-lists';
import { attempt, hashOf } from './values';

/** `v` of an object with rules. */
const RULES = new Set<Json | undefined>(['holdfast.policy/1', 'holdfast.policy_within/1']);

/** A tool in a definition of the agent. */
interface DefinedTool {
  /** Of the definition. */
  ref: string;
  agent: string;
  tool: RuledTool;
  classifies: boolean;
  /** Its list of approval rules in the definition. */
  list: Json | undefined;
}

export class RecordedRules {
  /** Objects that may have rules, by `policy_ref`. */
  private readonly objects = new Map<string, Json>();
  private readonly policies = new Map<string, Policy | null>();
  private readonly tools: DefinedTool[] = [];
  private readonly definitions = new Set<string>();
  /** The entry of approval rules that applies to a call, by its digest. */
  private readonly entries = new Map<string, PolicyEntry>();

  take({ ref, value }: ObjectBody): void {
    const agent = recordedAgent(value);
    if (agent) this.definitions.add(ref);
    if (agent) {
      const { name, classifies, lists } = agent;
      for (const tool of agent.tools) this.tools.push({ ref, agent: name, tool, classifies, list: lists[tool.name] });
    } else this.objects.set(ref, value);
  }

  /** Whether the object of this ref has rules, and is not an agent's definition. */
  areRules(ref: string): boolean {
    return RULES.has(object(this.objects.get(ref)).v);
  }

  /** The ref of the turn's own rules if this object wraps them; else null. */
  within(ref: string): string | null {
    return innerPolicy(this.objects.get(ref));
  }

  /** Whether these rules, or the rules that this object wraps, take signed decisions only. */
  requiresSignatures(ref: string): boolean {
    return [ref, this.within(ref)].some((one) => {
      const value = one === null ? undefined : this.objects.get(one);
      return isJsonObject(value) && value.channel === 'attested';
    });
  }

  /** Whether the rules have this list for a tool: undefined, or as a definition has it. True too if the rules are unknown. */
  hasList(ref: string, tool: string, of: Json | undefined): boolean {
    const policy = this.policy(ref);
    if (policy === null) return true;
    const rules = policy.approvals?.get(tool);
    return rules === undefined || of === undefined ? (rules === undefined) === (of === undefined) : isSameList(rules, of);
  }

  /** The entry of its tool's list that applies to the call by the rules under which it ran. Undefined: there is none, or it is unknown. */
  entryOf(digest: string): PolicyEntry | undefined {
    return this.entries.get(digest);
  }

  /**
   * Null: the rules let the call run as it did, or that is unknown.
   * @param body of the part that has the call's input
   * @param admittedUnder the rules under which this input was admitted: people may have been asked again under others
   */
  fault(run: ScheduledCall, body: JsonObject, admittedUnder: Json | undefined): string | null {
    const { call } = run;
    if (hashOf(body.input) !== call.input_hash) return 'The rules were asked about another input than the one that ran';
    const policy = this.policy(call.policy_ref);
    const { definition_ref: definitionRef } = call;
    const tools = this.tools.filter(
      ({ ref, agent, tool }) =>
        (typeof definitionRef !== 'string' || ref === definitionRef) &&
        agent === run.agent &&
        tool.name === call.tool &&
        tool.version === call.version,
    );
    if (tools.length === 0 && typeof definitionRef === 'string' && this.definitions.has(definitionRef))
      return "The call ran with a tool, or a version of it, that the agent's definition does not have";
    if (policy === null || tools.length === 0) return null;
    // A digest of version 1 names no definition, and tools of several may read the input in several ways.
    const entry = tools.length === 1 ? entryUnder(policy, tools[0]!.tool, run, body) : null;
    if (entry !== null) this.entries.set(text(call.digest), entry);
    const faults = tools.map((one) => faultUnder(policy, one, run, body) ?? this.entryFault(admittedUnder, one, run, body));
    return faults.includes(null) ? null : faults[0]!;
  }

  /** Whether the part names the entry that applied when the input was admitted. */
  private entryFault(ref: Json | undefined, { tool }: DefinedTool, run: ScheduledCall, body: JsonObject): string | null {
    const policy = this.policy(ref);
    if (policy === null) return null;
    const hasList = policy.approvals?.has(tool.name) ?? false;
    const applies = entryUnder(policy, tool, run, body);
    if (hasList && applies === null) return null;
    const right = applies === null ? body.approval_entry === undefined : isEntry(body.approval_entry, applies);
    return right ? null : 'Another entry of the approval rules applies to the call than the one that is written down';
  }

  private policy(ref: Json | undefined): Policy | null {
    if (typeof ref !== 'string') return null;
    if (!this.policies.has(ref)) this.policies.set(ref, this.compile(ref));
    return this.policies.get(ref) ?? null;
  }

  private compile(ref: string): Policy | null {
    const rules = recordedRules(this.objects, ref);
    const approvals = recordedLists(this.objects, ref, {});
    if (approvals === null) return null;
    return rules && attempt(() => ({ ...compileRules(rules), within: recordedOuter(this.objects, ref), approvals }));
  }
}

function faultUnder(
  policy: Policy,
  { tool, classifies, list }: DefinedTool,
  run: ScheduledCall,
  body: JsonObject,
): string | null {
  const { call, verdict } = run;
  if (!isJsonObject(body.facts)) return 'The call ran, and what the rules looked at is not written down';
  if (!isClass(call.class) || !isJsonObject(body.input)) return null;
  const ruleCall = { tool: tool.name, version: tool.version, class: call.class, input: body.input };
  const facts = readRecordedFacts(ruleCall, body.facts, tool.schema);
  // Targets that cannot be recorded are left out; other facts never are.
  if (facts === null)
    return body.facts.targets === undefined ? null : 'The call ran, and not all that the rules looked at is there';
  const { egress, group, target } = facts.tool;
  if (egress !== tool.egress || group !== tool.group || target !== tool.target || call.class !== tool.class)
    return "What the rules looked at is not the tool of the agent's definition";
  const decision = attempt(() => decide(withList(policy, tool.name, list), { ...facts, turn: turnOf(run) }));
  if (decision === null) return null;
  if (decision.verdict === 'deny') return `The call ran, and the rules forbid it: ${quote(decision.reason)}`;
  const asks = decision.verdict === 'ask' || (decision.verdict === 'classify' && !classifies);
  return asks && verdict !== 'ask'
    ? `The call ran without being asked about, and the rules ask: ${quote(decision.reason)}`
    : null;
}

/** The rules, where a failed condition of the tool's list does what the definition says. */
function withList(policy: Policy, tool: string, of: Json | undefined): Policy {
  const own = policy.approvals?.get(tool);
  return own === undefined ? policy : { ...policy, approvals: new Map([[tool, byDefinition(own, of)]]) };
}

/** The entry of the tool's list that applies to the call. Null: there is no list, or it is unknown. */
function entryUnder(policy: Policy, tool: RuledTool, run: ScheduledCall, body: JsonObject): PolicyEntry | null {
  const { class: toolClass } = run.call;
  if (!policy.approvals?.has(tool.name) || !isClass(toolClass) || !isJsonObject(body.input)) return null;
  const ruleCall = { tool: tool.name, version: tool.version, class: toolClass, input: body.input };
  const facts = readRecordedFacts(ruleCall, body.facts, tool.schema);
  return facts && (attempt(() => decide(policy, { ...facts, turn: turnOf(run) }).approval?.entry) ?? null);
}

/** The turn's facts for the rules: as the activity of the call has them, not as its part does. */
function turnOf({ call, agent, requester, untrusted }: ScheduledCall): TurnFacts {
  return { untrusted, requester: text(requester), agent: text(agent), step: Number.parseInt(text(call.id), 10) };
}
