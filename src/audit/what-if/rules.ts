/** Decides the recorded calls of a turn under other rules. */
import { compileRules, decide, readRecordedFacts, type Policy } from '../../rules';
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

/** @param within modes of turns above */
export function policyOf(rules: Rules | null, within: Policy['within'] = []): Policy | null {
  return rules && { ...compileRules(rules), within };
}

/** What the rules decide on a call. If people were asked at the time, the answer is the recorded one. */
export function wouldDecide(call: CallCase, original: CallDecision, { policy, before, agent }: Ruling): CallDecision {
  const unknown = (reason: string): CallDecision => ({ outcome: 'cannot_tell', answer: null, reason });
  if (original.outcome === 'cannot_tell') return original;
  if (refusedByOthers(call)) return original;
  if (policy === null) return unknown('the bundle does not have the rules of this agent');
  if (call.facts === null)
    return unknown('the bundle does not have what the rules looked at: it is of an older build, or that was left out');
  const schema = agent?.tools.find(({ name, version }) => name === call.tool && version === call.version)?.schema;
  if (schema === undefined) return unknown(`the bundle does not have the definition of ${call.tool}@${call.version}`);
  if (!isClass(call.class) || call.input === null) return unknown('the input of the call was left out');

  const facts = readRecordedFacts({ ...call, class: call.class, input: call.input }, call.facts, schema);
  if (facts === null) return unknown('what the rules looked at was not all written down');
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
