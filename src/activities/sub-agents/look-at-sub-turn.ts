import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ForwardDecisionInput, ForwardDecisionOutput, LookAtSubTurnInput } from '../../shared/activity-io';
import type { SubTurnReport } from '../../shared/sub-turn';
import type { Dependencies } from '../ports';
import { reportOf } from './sub-turn-report';

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
