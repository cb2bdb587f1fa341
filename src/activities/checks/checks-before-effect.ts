/** Right before the effect: what sends an admitted call back to a person, or refuses it. */
import type { RunCallOutput } from '../../shared/io/activities';
import type { HoldReason } from '../../shared/approval/approval';
import { approvalsFault, type HoldAnswer, type Hold } from './approvals-fault';
import { withinBudgets } from '../effects/budgets';
import type { CallRun } from '../call/call-run';
import { checkPreviewDrift, checkTargetChange } from './change-since-approval';
import { refusal } from '../call/run-once';
import { duplicateAct } from '../effects/duplicate-act';
import type { ApprovalEvidence } from '../../record/parts';
import { approvalEvidenceOf } from '../admission/decide-call';

/** In this order; the first that holds is asked about. What takes something for the call comes last: it is given back where a later one holds. */
const HOLDS: Hold[] = [checkHoldApprovals, checkTargetChange, checkPreviewDrift, withinBudgets, duplicateAct];

/** Null: the call may act. Else its output: it was not dispatched. */
export async function holdBeforeEffect(run: CallRun): Promise<RunCallOutput | null> {
  const shown = await approvalEvidenceOf(run.deps.store, run.call);
  for (const hold of HOLDS) {
    const answer = await hold(run, shown);
    if (answer !== null) return holdAnswerOutput(run, answer);
  }
  return null;
}

/** What people have put up with once stays on the next card, and in its digest: each budget by its name; of the same act, the newest card tells all. */
function lasts(before: HoldReason, now: HoldReason): boolean {
  if (before.kind === 'budget') return now.kind !== 'budget' || now.id !== before.id;
  return before.kind === 'same_intent' && now.kind !== 'same_intent';
}

/** The output of a call that is held, or refused, for this reason. */
export async function holdAnswerOutput(run: CallRun, answer: NonNullable<HoldAnswer>): Promise<RunCallOutput> {
  if ('refused' in answer) return refusal(run, answer.refused);
  const { held } = await approvalEvidenceOf(run.deps.store, run.call);
  return heldOutput([...held.filter((before) => lasts(before, answer)), answer]);
}

/** Of a call that was not dispatched. */
export function heldOutput(held: HoldReason[]): RunCallOutput {
  const nothing = { effect: null, result_ref: '', summary: '', error: null, attempts: 0, took_ms: 0, head: null };
  return { state: 'failed', ...nothing, held };
}

/** What a card says is put up with only by people who approved it: also where a rule would let the call run. */
async function checkHoldApprovals(run: CallRun, { held }: ApprovalEvidence): Promise<HoldAnswer> {
  if (held.length === 0) return null;
  const { deps, turn, tool } = run;
  const fault = await approvalsFault(run, deps.registry.forTurn(turn)!.approval(tool.name));
  return fault && { refused: fault };
}
