/** Decides the recorded calls of a turn under other rules. */
import { compileRules, decide, readRecordedFacts, type ApprovalLists, type CallFacts, type Policy } from '../../rules';
import type { ApprovalPolicy } from '../../shared/approval/policy';
import type { CallCase } from '../case-file/types';
import { isClass, type RecordedAgent } from '../recorded-rules';
import type { CallDecision } from './types';
import { askedAnyway, refusedByOthers } from './recorded-outcome';

export interface Ruling {
  /** Null: the bundle does not have the rules. */
  policy: Policy | null;
  /** The recorded rules, for comparison in mode `auto`. Null: the bundle does not have them. */
  before: Policy | null;
  /** Null: the bundle does not have the agent's definition. */
  agent: RecordedAgent | null;
}

export type Rules = Parameters<typeof compileRules>[0];

/** @param within modes of turns above @param approvals lists of approval rules; null: the bundle does not have them */
export function policyOf(rules: Rules | null, within: Policy['within'], approvals: ApprovalLists | null): Policy | null {
  return rules && approvals && { ...compileRules(rules), within, approvals };
}

/** What an approval of the call would require by the tool's list of approval rules. Null: it cannot be told. */
export function wouldRequire(call: CallCase, { policy, agent }: Ruling): ApprovalPolicy | null {
  const facts = policy === null ? UNKNOWN_AGENT : factsOf(call, agent);
  return typeof facts === 'string' ? null : (decide(policy!, facts).approval ?? null);
}

const UNKNOWN_AGENT = 'the bundle does not have the rules of this agent';

/** What the rules look at; or why that is not known. */
function factsOf(call: CallCase, agent: RecordedAgent | null): CallFacts | string {
  if (call.facts === null)
    return 'the bundle does not have what the rules looked at: it is of an older build, or that was left out';
  const schema = agent?.tools.find(({ name, version }) => name === call.tool && version === call.version)?.schema;
  if (schema === undefined) return `the bundle does not have the definition of ${call.tool}@${call.version}`;
  if (!isClass(call.class) || call.input === null) return 'the input of the call was left out';
  const facts = readRecordedFacts({ ...call, class: call.class, input: call.input }, call.facts, schema);
  return facts ?? 'what the rules looked at was not all written down';
}

/** What the rules decide on a call. If people were asked at the time, the answer is the recorded one. */
export function wouldDecide(call: CallCase, original: CallDecision, { policy, before, agent }: Ruling): CallDecision {
  const unknown = (reason: string): CallDecision => ({ outcome: 'cannot_tell', answer: null, reason });
  if (original.outcome === 'cannot_tell') return original;
  if (refusedByOthers(call)) return original;
  if (policy === null) return unknown(UNKNOWN_AGENT);
  const facts = factsOf(call, agent);
  if (typeof facts === 'string') return unknown(facts);
  const { verdict, reason } = decide(policy, facts);
  if (verdict === 'deny') return { outcome: 'refused', answer: null, reason };
  if (verdict === 'ask' || askedAnyway(call)) return decideByAsking(original, verdict === 'ask' ? reason : original.reason);
  if (verdict === 'allow') return { outcome: 'allowed', answer: null, reason };
  if (agent?.classifies === false) return decideByAsking(original, `${reason}; the agent has no classifier`);
  if (before !== null && decide(before, facts).verdict === 'classify') return original;
  return unknown(`${reason}: the classifier would have been asked`);
}

function decideByAsking(original: CallDecision, reason: string): CallDecision {
  return { outcome: 'asked', answer: original.outcome === 'asked' ? original.answer : null, reason };
}
