/** What a turn keeps of what another one says of itself. All of it lands in history, so it stays small. */
import { NOTHING_SPENT, type SubTurnReport, travelling } from '../../shared/turn/sub-turn';
import type { AskedTurn, Dependencies } from '../ports';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ForwardDecisionInput, ForwardDecisionOutput, LookAtSubTurnInput } from '../../shared/activity-io';

export function reportOf({ closed, facts }: AskedTurn, agent: string): SubTurnReport {
  const outside = closed === 'TERMINATED' || closed === 'TIMED_OUT';
  if (facts === null) {
    const nothing = { first_execution_run_id: '', agent, head: null, spent: NOTHING_SPENT, waiting: [] };
    return { ...nothing, state: 'failed', ended: closed !== null, reason: closed === null ? null : endedOutside(closed) };
  }
  const { parent: _, text: __, ...report } = facts;
  if (!outside) return { ...report, ended: report.ended || closed !== null, waiting: travelling(report.waiting) };
  return { ...report, state: 'failed', ended: true, reason: endedOutside(closed), waiting: [] };
}

function endedOutside(closed: NonNullable<AskedTurn['closed']>): string {
  const how = closed === 'TIMED_OUT' ? 'ended by its time limit' : 'terminated';
  return `Its workflow was ${how} from outside, through Temporal. What it was doing at that moment may have taken effect.`;
}

/** How a child stands. A signal only says that there is something to look at: what it says is asked of the child itself. */
export async function lookAtSubTurn({ turns }: Dependencies, { workflow_id }: LookAtSubTurnInput): Promise<SubTurnReport> {
  const found = await turns.ask(workflow_id);
  if (found === null)
    throw ApplicationFailure.create({ message: `There is no workflow ${workflow_id}`, type: 'holdfast.no_sub_turn' });
  return reportOf(found, '');
}

/** The child looks at the decision as if it had come to it: channel, signature, quorum, four eyes. */
export function forwardDecision({ turns }: Dependencies, request: ForwardDecisionInput): Promise<ForwardDecisionOutput> {
  const { workflowExecution, activityId, scheduledTimestampMs, scheduleToCloseTimeoutMs } = Context.current().info;
  const id = `${workflowExecution?.runId ?? ''}:${activityId}`; // the same in every attempt
  const before = scheduledTimestampMs + scheduleToCloseTimeoutMs;
  return turns.decide(request.workflow_id, { id, body: request.body, identity: request.identity, before });
}
