/** A session's turn, begun as its child. */
import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ChildWorkflowCancellationType, ParentClosePolicy, startChild, uuid4 } from '@temporalio/workflow';
import type { TurnInput, TurnOfSession } from '../../shared/activity-io';
import { sessionWorkflowId, traceId, workflowId } from '../../shared/ids';
import type { SessionInput } from '../../shared/turn/session';
import { inlineCode } from '../../shared/text/visible';
import { keyword } from '../../shared/search-attributes';
import { MEMO_OF_SESSION, MEMO_TRACE, TURN_WORKFLOW } from '../contract';
import type { Queued, SessionData } from './session-state';

/**
 * Resolves once it has begun. One that was begun before a reset goes on as it is.
 * @param of absent in sessions of older builds
 * @param mayHaveEnded called when the server says so; a later run of the session is told by the turn itself
 */
export async function startTurn(
  { session_id, requester }: SessionInput,
  {
    turn_id,
    message,
    attestation,
    callback_ref,
    agent,
    head,
    context_full,
    of,
  }: Queued & Pick<SessionData, 'agent' | 'head' | 'context_full'> & { of?: TurnOfSession },
  mayHaveEnded: () => void,
): Promise<void> {
  const trace_id = traceId(Date.now(), uuid4().replaceAll('-', ''));
  const input: TurnInput = {
    turn_id,
    agent,
    message,
    requester,
    session_id,
    trace_id,
    parent_head: head,
    session_workflow_id: sessionWorkflowId(session_id),
    ...(attestation === undefined ? {} : { attestation }),
    ...(callback_ref === undefined ? {} : { callback_ref }),
    ...(context_full ? { context_full: true } : {}),
  };
  try {
    const child = await startChild(TURN_WORKFLOW, {
      workflowId: workflowId(turn_id),
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      typedSearchAttributes: new TypedSearchAttributes([
        keyword('agent', agent),
        keyword('state', 'running'),
        keyword('requester', requester),
        keyword('session', session_id),
      ]),
      memo: { [MEMO_TRACE]: trace_id, ...(of ? { [MEMO_OF_SESSION]: of } : {}) },
      staticSummary: `${inlineCode(agent)} ${inlineCode(message.replace(/\s+/g, ' ').slice(0, 150))}`,
    });
    child.result().then(mayHaveEnded, mayHaveEnded);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    mayHaveEnded();
  }
}
