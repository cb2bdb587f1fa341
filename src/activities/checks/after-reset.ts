/** A workflow that was reset: Temporal re-applies old signals, and nobody who sent them has seen what is asked now. */
import { Context } from '@temporalio/activity';
import { approvalsOf, type AdmitCallInput, type AdmitCallOutput } from '../../shared/io/activities';
import type { HoldReason } from '../../shared/approval/approval';
import type { EffectRecord } from '../../store/store';
import { approvalsFault } from './approvals-fault';
import { askedAbout } from '../people/questions';
import type { Dependencies } from '../ports';
import type { CallRun } from '../call/call-run';
import { otherDispatch } from '../effects/effect-record';

/**
 * A decision counts in the run that asked for it, and while its question is open: else the call goes back to a person. Null also
 * where the approvals do not hold in any run: nobody is asked about what was made up, it is refused.
 */
export async function afterReset(run: CallRun): Promise<HoldReason | null> {
  const { deps, turn, call } = run;
  const approvals = approvalsOf(run.request);
  const earlier = approvals.find((approval) => approval.run_id !== ownRun())?.run_id ?? (await otherRun(run));
  if (earlier === undefined) return null;
  const fault = await approvalsFault(run, deps.registry.approval(turn.agent, call.tool));
  return fault ? null : { kind: 'reset', id: earlier, text: '' }; // admission writes what its card says
}

/** The run whose question was closed, since the turn had taken another answer, or the outcome; or was asked before a reset. */
async function otherRun({ deps: { store, turns }, request, turn, call }: CallRun): Promise<string | undefined> {
  const asked = approvalsOf(request).length === 0 ? null : await askedAbout(store, call.digest);
  if (asked === null) return undefined;
  // Which run an approval was given in, the arguments say; which run has asked, the store, and how the own one began, Temporal.
  const open = !asked.closed && (await turns.continues(turn.workflow_id, ownRun(), asked.run));
  return open ? undefined : asked.run;
}

export interface EarlierRun {
  /** For the card; null: there was none. */
  held: HoldReason | null;
  /** What the run before has made of exactly this call. */
  effect: (AdmitCallOutput & { ok: true })['effect'] | null;
}

/** What whoever decides has to know of the runs before a reset: that they asked, and what they did. */
export async function earlierRun(
  { store }: Pick<Dependencies, 'store'>,
  { turn, call: before, held = [] }: AdmitCallInput,
  call: AdmitCallInput['call'],
): Promise<EarlierRun> {
  const reset = held.find(({ kind }) => kind === 'reset');
  const done = await otherDispatch(store, turn, call);
  const other = before.input_hash === call.input_hash ? null : await otherDispatch(store, turn, before);
  const record = done ?? other;
  if (!reset && !record) return { held: null, effect: null };
  const lines = [
    ...(reset ? askedLines(reset.id) : []),
    ...(record
      ? [`An earlier run dispatched it on ${record.claimed_at}.`, STATES[record.state]]
      : ['It was not dispatched before.']),
    ...(done ? ['Approving takes that over, and does not repeat it. Denying does not undo it.'] : []),
    ...(record && !done ? ['Since then its input was changed. Approving this does it besides.'] : []),
  ];
  const effect = done === null ? null : done.state === 'applied' ? 'applied' : 'in_doubt';
  return { held: { kind: 'reset', id: reset?.id ?? record!.run_id, text: lines.join('\n') }, effect };
}

/** For the card of a call that another run has asked about under the same digest. */
export function askedBefore(run: string): HoldReason {
  return { kind: 'reset', id: run, text: askedLines(run).join('\n') };
}

/** With the run's own id in it a card, and so its digest, is good in this run only. */
function askedLines(run: string): string[] {
  return [
    `It was asked about in run ${run}, before the workflow was reset; this is run ${ownRun()}.`,
    'What was said there counts no more.',
  ];
}

function ownRun(): string {
  return Context.current().info.workflowExecution?.runId ?? '';
}

const STATES: Record<EffectRecord['state'], string> = {
  applied: 'It is applied.',
  claimed: 'It is under way, or was lost.',
  in_doubt: 'It is in doubt.',
  not_applied: 'It is not applied.',
  refused: 'It was refused.',
};
