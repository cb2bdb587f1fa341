/**
 * One firing of a schedule. It starts the turn under an id made of the scheduled time, so that a time fires one turn however often
 * it comes (a backfill, a server that was away), and runs until the turn has ended: Temporal's overlap policies look at the firing.
 * The turn is a child. A cancelled firing cancels it; so does Temporal for a terminated one.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  isCancellation,
  ParentClosePolicy,
  setCurrentDetails,
  sleep,
  startChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { TurnInput } from '../../shared/io/activities';
import { traceId, workflowId } from '../../shared/ids';
import { hashJson } from '../../shared/json/digests';
import { optional } from '../../shared/json/optional';
import {
  firingTurnId,
  SCHEDULE_NAME,
  scheduleId,
  type BeginFiringInput,
  type EndFiringOutput,
  type FiringInput,
  type FiringReport,
} from '../../shared/schedule';
import { keyword } from '../../shared/search-attributes';
import { inlineCode } from '../../shared/text/visible';
import { beginFiring, endFiring } from '../activities';
import { MEMO_REQUEST, MEMO_TRACE, TURN_WORKFLOW } from '../contract';
import { onSignals } from '../sandbox/signals';

/** A turn whose end the server reports closes within this time, ms. */
const ENDS_WITHIN = 20_000;
/** A turn that was reset goes on although its first run has ended: it is looked at again after growing times, ms. */
const FIRST_LOOK = 10_000;
const LONGEST_LOOK_MS = 3_600_000;

export async function firing(input: FiringInput): Promise<FiringReport> {
  onSignals(() => undefined); // it takes no signals
  const begin = firingOf(input);
  setCurrentDetails(`Turn ${inlineCode(workflowId(begin.turn_id))} of schedule ${inlineCode(begin.schedule.name)}`);
  const report = (end: Pick<FiringReport, 'state' | 'reason'>): FiringReport => ({
    schedule: begin.schedule.name,
    scheduled_at: begin.scheduled_at,
    turn_id: begin.turn_id,
    ...end,
  });
  const answer = await beginFiring(begin);
  if (!answer.begin) return report({ state: 'not_started', reason: answer.reason });
  const child = await startTurn(begin, answer.attestation);
  if (child === null)
    return report({ state: 'elsewhere', reason: 'A turn with this id was started before: this time has fired already.' });
  try {
    await child.result();
  } catch (error) {
    if (!(error instanceof ChildWorkflowFailure)) throw error;
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => turnEnd(begin));
      throw error; // so the firing is cancelled, too
    }
  }
  return report(await turnEnd(begin));
}

/** @throws ApplicationFailure unless Temporal started it for this schedule */
function firingOf(input: FiringInput): BeginFiringInput {
  const { TemporalScheduledById: [id] = [], TemporalScheduledStartTime: [time] = [] } = workflowInfo().searchAttributes;
  const name = (input as Partial<FiringInput> | undefined)?.schedule?.name;
  if (typeof name !== 'string' || !SCHEDULE_NAME.test(name) || id !== scheduleId(name) || !(time instanceof Date))
    throw ApplicationFailure.nonRetryable('A firing is started by its schedule only (docs/schedules.md)', 'holdfast.no_schedule');
  return { ...input, turn_id: firingTurnId(name, time.getTime()), scheduled_at: time.toISOString() };
}

/** Null: there is, or was, a turn of this id. */
async function startTurn({ schedule, turn_id }: BeginFiringInput, attestation: string | undefined) {
  const { agent, message, name } = schedule;
  const requester = scheduleId(name);
  const trace_id = traceId(Date.now(), uuid4().replaceAll('-', ''));
  const input: TurnInput = {
    ...{ turn_id, agent, message, requester, session_id: null, trace_id, parent_head: null },
    ...optional({ attestation }),
  };
  try {
    return await startChild(TURN_WORKFLOW, {
      workflowId: workflowId(turn_id),
      args: [input],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      typedSearchAttributes: new TypedSearchAttributes([
        keyword('agent', agent),
        keyword('state', 'running'),
        keyword('requester', requester),
      ]),
      memo: { [MEMO_REQUEST]: hashJson({ agent, message, session_id: null }), [MEMO_TRACE]: trace_id },
      staticSummary: `${inlineCode(agent)} ${inlineCode(message.replace(/\s+/g, ' ').slice(0, 150))}`,
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}

async function turnEnd(begin: BeginFiringInput): Promise<Exclude<EndFiringOutput, { state: 'running' }>> {
  for (let wait = FIRST_LOOK; ; wait = Math.min(LONGEST_LOOK_MS, wait * 2)) {
    const end = await look(begin);
    if (end.state !== 'running') return end as Pick<FiringReport, 'state' | 'reason'>;
    await sleep(wait);
  }
}

async function look(begin: BeginFiringInput): Promise<EndFiringOutput> {
  try {
    return await endFiring({ ...begin, within_ms: ENDS_WITHIN });
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return { state: 'failed', reason: `Nobody could tell how it ended: ${error.cause?.message ?? error.message}` };
  }
}
