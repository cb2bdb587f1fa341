/**
 * Finds approvals of another run, or of a question that is closed: people are asked again. After a workflow reset Temporal re-applies
 * old signals, whose senders have not seen the questions of the new run.
 */
import { Context } from '@temporalio/activity';
import { approvalsOf, type AdmitCallInput, type AdmitCallOutput } from '../../shared/io/activities';
import type { HoldReason } from '../../shared/approval/approval';
import type { EffectRecord } from '../../record/effect';
import { policyOfRun, recheckApprovals } from './recheck-approvals';
import { findStoredQuestion } from '../people/questions';
import type { Dependencies } from '../ports';
import type { CallContext } from '../call/call-context';
import { otherDispatch } from '../effects/effect-record';

/**
 * A decision counts only in the run that asked for it, and while its question is open; otherwise the call goes back to a person.
 * Null also if the approvals are valid in no run: forged approvals are refused, not asked about.
 */
export async function afterReset(run: CallContext): Promise<HoldReason | null> {
  const approvals = approvalsOf(run.request);
  const earlier = approvals.find((approval) => approval.run_id !== ownRun())?.run_id ?? (await otherRun(run));
  if (earlier === undefined) return null;
  const fault = await recheckApprovals(run, await policyOfRun(run));
  return fault ? null : { kind: 'reset', id: earlier, text: '' }; // admission writes the text of its card
}

/** The run of a question that was closed by another answer or by an outcome, or that was asked before a reset. */
async function otherRun({ deps: { store, turns }, request, turn, call }: CallContext): Promise<string | undefined> {
  const question = approvalsOf(request).length === 0 ? null : await findStoredQuestion(store, call.digest);
  if (question === null) return undefined;
  // The run of an approval comes from the arguments, the run that asked from the store, and the origin of this run from Temporal.
  const open = !question.closed && (await turns.continues(turn.workflow_id, ownRun(), question.run));
  return open ? undefined : question.run;
}

export interface EarlierRun {
  /** Reason for the card; null: there was no earlier run. */
  hold: HoldReason | null;
  /** The outcome of exactly this call in the earlier run. */
  effect: (AdmitCallOutput & { ok: true })['effect'] | null;
}

/** What an approver must know about the runs before a reset: that they asked, and what they did. */
export async function earlierRun(
  { store }: Pick<Dependencies, 'store'>,
  { turn, call: before, held = [] }: AdmitCallInput,
  call: AdmitCallInput['call'],
): Promise<EarlierRun> {
  const reset = held.find(({ kind }) => kind === 'reset');
  const ownDispatch = await otherDispatch(store, turn, call);
  const other = before.input_hash === call.input_hash ? null : await otherDispatch(store, turn, before);
  const record = ownDispatch ?? other;
  if (!reset && !record) return { hold: null, effect: null };
  const lines = [
    ...(reset ? askedLines(reset.id) : []),
    ...(record
      ? [`An earlier run dispatched it on ${record.claimed_at}.`, STATES[record.state]]
      : ['It was not dispatched before.']),
    ...(ownDispatch ? ['Approving takes over that dispatch and does not repeat it. Denying does not undo it.'] : []),
    ...(record && !ownDispatch
      ? ['Its input was changed after that dispatch. Approving runs the call again, with the new input.']
      : []),
  ];
  const effect = ownDispatch === null ? null : ownDispatch.state === 'applied' ? 'applied' : 'in_doubt';
  return { hold: { kind: 'reset', id: reset?.id ?? record!.run_id, text: lines.join('\n') }, effect };
}

/** Reason for the card of a call that another run has asked about under the same digest. */
export function askedBefore(run: string): HoldReason {
  return { kind: 'reset', id: run, text: askedLines(run).join('\n') };
}

/** The text has the id of this run, so that the card and its digest are valid only in this run. */
function askedLines(run: string): string[] {
  return [
    `People were asked about this call in run ${run}, before the workflow was reset. The present run is ${ownRun()}.`,
    'Decisions of that run no longer count.',
  ];
}

function ownRun(): string {
  return Context.current().info.workflowExecution?.runId ?? '';
}

const STATES: Record<EffectRecord['state'], string> = {
  applied: 'It is applied.',
  claimed: 'It is still running, or its worker died.',
  pending: 'It is pending: somebody else completes it.',
  in_doubt: 'It is in doubt.',
  not_applied: 'It is not applied.',
  refused: 'It was refused.',
};
