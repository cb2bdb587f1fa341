/**
 * Sends one message to the callback address of a turn, in a workflow of its own: the turn does not wait for it, and the end of
 * the turn does not stop it.
 */
import { CancellationScope, ParentClosePolicy, proxyActivities, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { Activities, TurnContext } from '../../shared/io/activities';
import { callbackMessage, type CallbackInput, type CallbackMessage, type CallbackQuestion } from '../../shared/wire/callback';
import { hashJson } from '../../shared/json/digests';
import type { TurnView } from '../../shared/turn/turn-view';
import { CALLBACK_WORKFLOW } from '../contract';
import { now } from '../sandbox/time';

/** Retried for a day: after that the receiver has to query the turn. */
const { deliverCallback } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

export async function callback(input: CallbackInput): Promise<void> {
  await deliverCallback(input);
}

/**
 * Resolves when the callback workflow has started; never throws.
 * @param about distinguishes the message from earlier ones
 * @param question that people are asked; null: the turn has ended
 */
export async function sendCallback(
  turn: TurnContext,
  callback_ref: string,
  type: CallbackMessage['type'],
  about: { run_id: string; digest: string | null },
  view: TurnView,
  question: CallbackQuestion | null,
): Promise<void> {
  const id = `cb_${hashJson({ v: 'holdfast.callback/1', workflow_id: view.workflow_id, type, ...about }).slice(0, 32)}`;
  const message = callbackMessage(type, now(), view);
  const input: CallbackInput = { turn, id, callback_ref, message, ...(question === null ? {} : { question }) };
  const start = () =>
    startChild<typeof callback>(CALLBACK_WORKFLOW, {
      workflowId: `callback/${id}`,
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    });
  await CancellationScope.nonCancellable(start).catch(() => undefined); // it was started already
}
