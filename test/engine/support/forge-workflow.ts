import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../../src/shared/io/activities';

/**
 * An attacker with access to Temporal could start this: any activity, with made-up arguments. An approval whose `run_id` is
 * empty is made up for the attacker's own run, which he knows only once it has begun.
 */
export async function forge(taskQueue: string, activity: keyof Activities, input: any): Promise<unknown> {
  const { runId } = workflowInfo();
  const approvals = input.approvals?.map((given: { run_id: string }) => ({ ...given, run_id: given.run_id || runId }));
  const { [activity]: made } = proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '20 seconds',
    retry: { maximumAttempts: 1 },
  });
  return made!({ ...input, ...(approvals ? { approvals } : {}) } as never);
}
