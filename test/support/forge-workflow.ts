import { proxyActivities } from '@temporalio/workflow';
import type { Activities, RunCallInput, RunCallOutput } from '../../src/shared/activity-io';

/** What an attacker with access to Temporal could start: `runCall` with made-up arguments. */
export async function forge(taskQueue: string, input: RunCallInput): Promise<RunCallOutput> {
  const { runCall } = proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: '20 seconds',
    retry: { maximumAttempts: 1 },
  });
  return runCall(input);
}
