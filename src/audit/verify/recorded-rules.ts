/** Applies the recorded rules again to each call that ran, with the code that the engine applied them with (rule B12). */
import { compileRules, decide, readRecordedFacts, type Policy, type RuledTool, type TurnFacts, type Verdict } from '../../rules';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { object, text } from '../../record/fields';
import type { ObjectBody } from '../format/lines';
import { innerPolicy, isClass, recordedAgent, recordedLists, recordedOuter, recordedRules } from '../recorded-rules';
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
  /** Its list of approval rules, as the definition has it. Undefined: none. */
  list: Json | undefined;
}

export class RecordedRules {
  /** Objects that may have rules, by `policy_ref`. */
  private readonly objects = new Map<string, Json>();
  private readonly policies = new Map<string, Policy | null>();
  private readonly tools: DefinedTool[] = [];
  private readonly definitions = new Set<string>();

  take({ ref, value }: ObjectBody): void {
    const agent = recordedAgent(value);
    if (agent) this.definitions.add(ref);
    if (agent)
      for (const tool of agent.tools) {
        const toolList = Object.hasOwn(agent.lists, tool.name) ? agent.lists[tool.name] : undefined;
        this.tools.push({ ref, agent: agent.name, tool, classifies: agent.classifies, list: toolList });
      }
    else this.objects.set(ref, value);
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

  /** Null: the rules let the call run as it did, or that is unknown. @param body of the part that has the call's input */
  fault(run: ScheduledCall, body: JsonObject): string | null {
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
    const faults = tools.map((one) => faultUnder(policy, one, run, body));
    return faults.includes(null) ? null : faults[0]!;
  }

  private policy(ref: Json | undefined): Policy | null {
    if (typeof ref !== 'string') return null;
    if (!this.policies.has(ref)) this.policies.set(ref, this.compile(ref));
    return this.policies.get(ref) ?? null;
  }

  private compile(ref: string): Policy | null {
    const rules = recordedRules(this.objects, ref);
    const approvals = recordedLists(this.objects, ref);
    if (approvals === null) return null;
    return rules && attempt(() => ({ ...compileRules(rules), within: recordedOuter(this.objects, ref), approvals }));
  }
}

function faultUnder(policy: Policy, defined: DefinedTool, run: ScheduledCall, body: JsonObject): string | null {
  const { tool, classifies } = defined;
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
  const decision = attempt(() => decide(policy, { ...facts, turn: turnOf(run) }));
  if (decision === null) return null;
  const entryFault = faultOfEntry(policy, defined, decision, body);
  if (entryFault !== null) return entryFault;
  if (decision.verdict === 'deny') return `The call ran, and the rules forbid it: ${quote(decision.reason)}`;
  const asks = decision.verdict === 'ask' || (decision.verdict === 'classify' && !classifies);
  return asks && verdict !== 'ask'
    ? `The call ran without being asked about, and the rules ask: ${quote(decision.reason)}`
    : null;
}

/** Whether the part names the entry of the approval rules that applies, and the definition has these rules. */
function faultOfEntry(policy: Policy, { tool, list }: DefinedTool, { approval }: Verdict, body: JsonObject): string | null {
  const rules = policy.approvals?.get(tool.name);
  if (rules === undefined)
    return list === undefined ? null : "The agent's definition has a list of approval rules that its rules do not have";
  if (!isSameList(rules, list)) return "The agent's definition has another list of approval rules than its rules";
  return isEntry(body.approval_entry, approval!.entry!)
    ? null
    : 'Another entry of the approval rules applies to the call than the one that is written down';
}

/** The turn's facts for the rules: as the activity of the call has them, not as its part does. */
function turnOf({ call, agent, requester, untrusted }: ScheduledCall): TurnFacts {
  return { untrusted, requester: text(requester), agent: text(agent), step: Number.parseInt(text(call.id), 10) };
}
