/** Reads from the record what was decided on a call. */
import { text } from '../../record/fields';
import { ASK_PERSON } from '../../shared/approval/person-question';
import type { CallCase, TurnCase } from '../case-file/types';
import type { Answer, CallDecision } from './types';

/** Reasons for which rules and modes refuse a call. Other rules do not change refusals for any other reason. */
const RULE_WORDS = new Set(['denied_by_rule', 'plan_mode', 'locked_mode']);
const RUN_STATES = new Set(['approved', 'running', 'pending', 'succeeded', 'failed', 'in_doubt']);

export function recordedDecision(call: CallCase): CallDecision {
  if (isRejected(call))
    return { outcome: 'refused', answer: null, reason: text(call.error?.message) || call.reason || 'refused' };
  const reason = call.reason ?? 'not recorded';
  if (call.question !== null || call.verdict === 'ask') return { outcome: 'asked', answer: answerOf(call), reason };
  if (call.verdict === 'allow') return { outcome: 'allowed', answer: null, reason };
  return { outcome: 'cannot_tell', answer: null, reason: 'the bundle does not have the admission of this call' };
}

/** Schema, check, a hook or the classifier refused the call: other rules would not have let it through. */
export function refusedByOthers(call: CallCase): boolean {
  return isRejected(call) && !RULE_WORDS.has(text(call.error?.reason));
}

/** A person was asked whatever the rules said: the model asked, the call was held, or a person had changed its input. */
export function askedAnyway({ tool, class: toolClass, question, changes }: CallCase): boolean {
  if (tool === ASK_PERSON && toolClass !== 'destructive') return true;
  return (question?.held.length ?? 0) > 0 || changes.some(({ by }) => text(by) !== '');
}

function isRejected({ verdict, state }: CallCase): boolean {
  return verdict === 'rejected' || state === 'rejected';
}

function answerOf({ decisions, state }: CallCase): Answer {
  const hasDecision = (decision: string) => decisions.some((one) => one.decision === decision);
  if (hasDecision('deny')) return 'denied';
  if (hasDecision('expired') || state === 'expired') return 'expired';
  if (hasDecision('answer')) return 'answered';
  if (hasDecision('edit')) return 'edited';
  if (state === 'superseded') return 'superseded';
  if (state === 'cancelled') return 'cancelled';
  return hasDecision('approve') && state !== null && RUN_STATES.has(state) ? 'approved' : 'open';
}

/** Number of calls that only a left-out part of an admission records. */
export function hiddenCalls({ transcript, calls }: TurnCase): number {
  const ids = new Set(calls.map(({ id }) => id));
  const admissions = transcript.filter(({ own, onChain, kind }) => own && onChain && kind === 'admission');
  const counts = admissions.map(({ bodies }, step) => {
    return bodies.filter((body, index) => index > 0 && body === null && !ids.has(`${step + 1}.${index}`)).length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
