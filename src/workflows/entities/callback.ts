/**
 * One message to the address that a turn was started with, in a workflow of its own: a turn neither waits for it nor, when
 * it ends, takes it along.
 */
import { CancellationScope, ParentClosePolicy, proxyActivities, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { Activities, TurnContext } from '../../shared/io/activities';
import { callbackMessage, type CallbackInput, type CallbackMessage } from '../../shared/wire/callback';
import { hashJson } from '../../shared/json/digests';
import type { TurnView } from '../../shared/turn/turn-view';
import { CALLBACK_WORKFLOW } from '../contract';
import { now } from '../sandbox/time';

/** For a day: then whoever waits for it has asked by himself. */
const { deliverCallback } = proxyActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

export async function callback(input: CallbackInput): Promise<void> {
  await deliverCallback(input);
}

/**
 * Resolves once it is on its way; never throws.
 * @param about what makes it another message than the ones before
 */
export async function sendCallback(
  turn: TurnContext,
  callback_ref: string,
  type: CallbackMessage['type'],
  about: { run_id: string; digest: string | null },
  view: TurnView,
): Promise<void> {
  const id = `cb_${hashJson({ v: 'holdfast.callback/1', workflow_id: view.workflow_id, type, ...about }).slice(0, 32)}`;
  const input: CallbackInput = { turn, id, callback_ref, message: callbackMessage(type, now(), view) };
  const start = () =>
    startChild<typeof callback>(CALLBACK_WORKFLOW, {
      workflowId: `callback/${id}`,
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    });
  await CancellationScope.nonCancellable(start).catch(() => undefined); // it is there already
}
