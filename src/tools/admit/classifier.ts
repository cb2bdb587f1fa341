/**
 * Asks an agent's classifier about a call in mode `auto`. It decides only calls that the rules leave open, and never a
 * destructive call. If the classifier fails, a person is asked.
 */
import type { Denials } from '../../shared/io/activities';
import { unknownFields } from '../../shared/json/json';
import { within, type HookCall, type HookContext } from './hooks';
import { exceptionText } from '../../shared/wire/errors';

export interface ClassifierAnswer {
  verdict: 'approve' | 'deny' | 'ask';
  /** For the record, and for the approver or the model that reads the verdict. */
  reason: string;
}

export interface Classifier {
  /** `[A-Za-z0-9_-]{1,64}`; recorded in history. */
  name: string;
  /** May do I/O, e.g. ask a small model. Time limit: 10 s. May run again after a crash. */
  decide(call: HookCall, ctx: HookContext): ClassifierAnswer | Promise<ClassifierAnswer>;
}

const LIMIT = 10_000;
const MOST_IN_A_ROW = 3;
const MOST_IN_ALL = 10;

/** The classifier's verdict on one call that the rules leave open. */
export async function classify(
  classifier: Classifier | undefined,
  denials: Denials,
  call: HookCall,
  log: HookContext['log'],
): Promise<ClassifierAnswer> {
  const ask = (reason: string): ClassifierAnswer => ({ verdict: 'ask', reason });
  if (call.class === 'destructive') return ask('a destructive call is never left to a classifier');
  if (!classifier) return ask('no classifier is set');
  const { name } = classifier;
  if (denials.in_a_row >= MOST_IN_A_ROW || denials.in_all >= MOST_IN_ALL)
    return ask(
      `classifier ${name} has denied ${denials.in_a_row} calls in a row and ${denials.in_all} in this turn, so a person is asked`,
    );
  try {
    const answer = await within(LIMIT, (signal) => classifier.decide(structuredClone(call), { signal, log }));
    const reason = `classifier ${name}: ${String(answer?.reason ?? '')
      .slice(0, 300)
      .toWellFormed()}`;
    if (answer?.verdict === 'approve' || answer?.verdict === 'deny' || answer?.verdict === 'ask')
      return { verdict: answer.verdict, reason };
    return ask(`classifier ${name} gave no verdict`);
  } catch (error) {
    log.warn({ classifier: name, tool: call.tool, err: error }, 'the classifier failed; a person is asked');
    return ask(`classifier ${name} failed: ${exceptionText(error).slice(0, 200)}`);
  }
}

export function classifierFaults(classifier: Classifier | undefined): string[] {
  if (classifier === undefined) return [];
  const hasValidName = typeof classifier?.name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(classifier.name);
  return [
    ...unknownFields(classifier, ['name', 'decide'], 'classifier'),
    ...(hasValidName ? [] : ['classifier.name must match ^[A-Za-z0-9_-]{1,64}$']),
    ...(typeof classifier?.decide === 'function' ? [] : ['classifier.decide must be a function']),
  ];
}
