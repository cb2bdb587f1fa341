/**
 * After the check of approvals (recheck-approvals.ts), right before the effect: reasons to send the call back to a person, or to refuse
 * it. The last two checks also reserve.
 */
import type { RunCallOutput } from '../../shared/io/activities';
import type { HoldReason } from '../../shared/approval/approval';
import { heldByApprovals, policyOfRun, type HoldAnswer, type Hold } from './recheck-approvals';
import { withinBudgets } from '../effects/budgets';
import type { CallContext } from '../call/call-context';
import { checkPreviewDrift, checkTargetChange } from './change-since-approval';
import { refusal } from '../call/run-once';
import { duplicateAct } from '../effects/duplicate-act';
import type { ApprovalEvidence } from '../../record/parts';
import { approvalEvidenceOf } from '../admission/decide-call';

/** Checks in order; the first one that holds the call decides. Those that reserve come last, so that little has to be released. */
const HOLDS: Hold[] = [checkAcceptedReasons, checkTargetChange, checkPreviewDrift, withinBudgets, duplicateAct];

/** Null: the call may act. Otherwise its output, as not dispatched. */
export async function checkBeforeEffect(run: CallContext): Promise<RunCallOutput | null> {
  const evidence = await approvalEvidenceOf(run.deps.store, run.call);
  for (const hold of HOLDS) {
    const answer = await hold(run, evidence);
    if (answer !== null) return holdAnswerOutput(run, answer);
  }
  return null;
}

/** Accepted reasons stay on the next card, and in its digest: one per budget; of duplicate acts the newest, which lists all. */
function lasts(before: HoldReason, now: HoldReason): boolean {
  if (before.kind === 'budget') return now.kind !== 'budget' || now.id !== before.id;
  return before.kind === 'same_intent' && now.kind !== 'same_intent';
}

/** The output of a call that is held or refused. */
export async function holdAnswerOutput(run: CallContext, answer: NonNullable<HoldAnswer>): Promise<RunCallOutput> {
  if ('refused' in answer) return refusal(run, answer.refused);
  const { held } = await approvalEvidenceOf(run.deps.store, run.call);
  return heldOutput([...held.filter((before) => lasts(before, answer)), answer]);
}

/** The output of a call that is held, and was not dispatched. */
export function heldOutput(reasons: HoldReason[]): RunCallOutput {
  const nothing = { effect: null, result_ref: '', summary: '', error: null, attempts: 0, took_ms: 0, head: null };
  return { state: 'failed', ...nothing, held: reasons };
}

/** Reasons on a card count as accepted only with the approvals of people, even if a rule allows the call. */
async function checkAcceptedReasons(run: CallContext, { held }: ApprovalEvidence): Promise<HoldAnswer> {
  if (held.length === 0) return null;
  return heldByApprovals(run, await policyOfRun(run));
}
